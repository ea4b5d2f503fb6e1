import { execFile, execFileSync } from "node:child_process"
import { chmodSync, cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const root = fileURLToPath(new URL("../../../", import.meta.url))

const isInstalled = (program: string): boolean => {
  try {
    execFileSync("which", [program])
    return true
  } catch {
    return false
  }
}

/** Whether buildah is installed. */
export const hasBuildah = isInstalled("buildah")

/** A separate image store, so that a test changes no images of the machine. */
export interface ImageStore {
  /** Runs buildah, and returns its output. Fails with its error output. */
  readonly buildah: (...args: ReadonlyArray<string>) => Promise<string>
  readonly remove: () => void
}

const run = async (...args: ReadonlyArray<string>): Promise<string> => {
  const { stdout } = await promisify(execFile)("buildah", args, { cwd: root, maxBuffer: 64 * 1024 * 1024 })
  return stdout.trim()
}

/**
 * Opens a store with the driver overlay if the machine supports it. Otherwise the driver is vfs, which copies all files of an
 * image for each step of the build.
 */
export const openImageStore = async (): Promise<ImageStore> => {
  const folder = mkdtempSync(join(tmpdir(), "saldo-image-"))
  const storeOf = (driver: string) => [
    `--root=${folder}/${driver}`,
    `--runroot=${folder}/run-${driver}`,
    `--storage-driver=${driver}`
  ]
  const overlay = storeOf("overlay")
  const store = await run(...overlay, "info").then(
    () => overlay,
    () => storeOf("vfs")
  )
  return {
    buildah: (...args) => run(...store, ...args),
    remove: () => rmSync(folder, { recursive: true, force: true })
  }
}

/** The programs that the Dockerfile and npm run. */
const programs = ["sh", "env", "find", "rm", "ln"]

const pathOf = (program: string): string => realpathSync(execFileSync("which", [program], { encoding: "utf8" }).trim())

const librariesOf = (program: string): ReadonlyArray<string> =>
  execFileSync("ldd", [program], { encoding: "utf8" }).match(/\/\S+/g) ?? []

const copyInto = (rootfs: string, source: string, target: string) => {
  mkdirSync(dirname(rootfs + target), { recursive: true })
  cpSync(source, rootfs + target, { recursive: true, dereference: true })
}

/** The files of a small image with this machine's Node and npm, and the user `node`. */
const writeBase = (rootfs: string) => {
  const npm = dirname(dirname(pathOf("npm")))
  copyInto(rootfs, process.execPath, "/usr/local/bin/node")
  copyInto(rootfs, npm, "/usr/local/lib/node_modules/npm")
  symlinkSync("../lib/node_modules/npm/bin/npm-cli.js", `${rootfs}/usr/local/bin/npm`)
  for (const program of programs) copyInto(rootfs, pathOf(program), `/usr/bin/${program}`)
  mkdirSync(`${rootfs}/bin`)
  symlinkSync("/usr/bin/sh", `${rootfs}/bin/sh`)
  for (const library of new Set([process.execPath, ...programs.map(pathOf)].flatMap(librariesOf)))
    copyInto(rootfs, library, library)
  mkdirSync(`${rootfs}/etc`)
  writeFileSync(`${rootfs}/etc/passwd`, "root:x:0:0::/root:/bin/sh\nnode:x:1000:1000::/home/node:/bin/sh\n")
  writeFileSync(`${rootfs}/etc/group`, "root:x:0:\nnode:x:1000:\n")
  for (const folder of ["root", "proc", "sys", "dev", "tmp"]) mkdirSync(`${rootfs}/${folder}`)
  chmodSync(`${rootfs}/tmp`, 0o1777)
}

/** A file of certificates that this machine's Node trusts in addition. npm needs it behind some proxies. */
const certificates = process.env["NODE_EXTRA_CA_CERTS"]

/** Makes an image of this machine's programs under the name of the base image. */
const makeBase = async ({ buildah }: ImageStore, base: string) => {
  const rootfs = mkdtempSync(join(tmpdir(), "saldo-rootfs-"))
  try {
    writeBase(rootfs)
    const container = await buildah("from", "scratch")
    await buildah("copy", "--quiet", container, rootfs, "/")
    const trusted = certificates === undefined ? [] : [`--env=NODE_EXTRA_CA_CERTS=${certificates}`]
    await buildah("config", "--env=PATH=/usr/local/bin:/usr/bin", ...trusted, container)
    await buildah("commit", "--quiet", container, base)
  } finally {
    rmSync(rootfs, { recursive: true })
  }
}

/**
 * Gets the base image of the Dockerfile and runs a container of it. If the registry cannot be reached, the image contains
 * this machine's programs.
 *
 * @returns why no container runs, or null if one runs. A reason is that this machine is itself a container without the rights.
 */
export const faultOfContainers = async (store: ImageStore, base: string): Promise<string | null> => {
  try {
    await store.buildah("pull", "--quiet", base).catch(() => makeBase(store, base))
    const container = await store.buildah("from", "--pull=never", base)
    await store.buildah("run", "--isolation=chroot", container, "--", "node", "--version")
    return null
  } catch (error) {
    return String(error)
  }
}

/** Builds the Dockerfile. The format of Docker keeps HEALTHCHECK, which the format of OCI does not have. */
export const buildImage = ({ buildah }: ImageStore, name: string) =>
  buildah(
    "build",
    "--format=docker",
    "--isolation=chroot",
    "--pull=never",
    ...(certificates === undefined ? [] : [`--volume=${certificates}:${certificates}:ro`]),
    `--tag=${name}`,
    "."
  )
