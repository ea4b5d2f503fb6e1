import { Resolver } from "node:dns/promises"
import { isIP, type LookupFunction } from "node:net"
import { Data } from "effect"

/** Returns the IP addresses of a name, or rejects. */
export type Resolve = (hostname: string) => Promise<ReadonlyArray<string>>

/** The error when a hostname has an address that webhooks may not connect to. */
export class AddressRefused extends Data.TaggedError("AddressRefused")<{}> {}

const firstTimeout_ms = 2000
const tries_max = 2

const hasAddresses = (answer: PromiseSettledResult<ReadonlyArray<string>>) =>
  answer.status === "fulfilled" ? answer.value : []

/**
 * Asks the name servers for IPv4 and IPv6 addresses. The system's own lookup is not used, because a slow domain would
 * block one of the few threads of Node's pool.
 *
 * @param servers the addresses of the name servers. By default those of the system.
 */
export const resolveWith =
  (servers?: ReadonlyArray<string>): Resolve =>
  async (hostname) => {
    // A resolver keeps the name servers that the system had when the resolver was made. So each lookup makes a new one.
    const resolver = new Resolver({ timeout: firstTimeout_ms, tries: tries_max })
    if (servers !== undefined) resolver.setServers(servers)
    const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    const addresses = [four, six].flatMap(hasAddresses)
    if (addresses.length === 0 && four.status === "rejected") throw four.reason
    return addresses
  }

/** The names of this machine. They exist in no name server. */
const isLocalName = (hostname: string): boolean => /(^|\.)localhost$/.test(hostname)
const localAddresses = ["127.0.0.1", "::1"]

/**
 * The lookup that a socket uses. It returns only checked addresses, and the socket connects to exactly these. So a name
 * cannot escape the check by changing its addresses afterwards.
 *
 * A name with one refused address is refused. A public name has a private address only by mistake or for an attack.
 * Using only its public addresses would hide this.
 *
 * The socket must ask for all addresses (`autoSelectFamily`).
 */
export const checkedLookup =
  (resolve: Resolve, accepts: (address: string) => boolean): LookupFunction =>
  (hostname, _options, callback) => {
    const resolved = isLocalName(hostname) ? Promise.resolve(localAddresses) : resolve(hostname)
    const checked = resolved.then((addresses) => {
      if (!addresses.every(accepts)) throw new AddressRefused()
      return addresses.map((address) => ({ address, family: isIP(address) }))
    })
    checked.then(
      (addresses) => callback(null, addresses),
      (error) => callback(error, [])
    )
  }
