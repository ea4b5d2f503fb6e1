import { Resolver } from "node:dns/promises"
import { isIP, type LookupFunction } from "node:net"
import { Data } from "effect"

/** Returns the IP addresses of a name, or rejects. */
export type Resolve = (hostname: string) => Promise<ReadonlyArray<string>>

/** A name has an address that webhooks may not connect to. */
export class AddressRefused extends Data.TaggedError("AddressRefused")<{}> {}

const firstTimeout_ms = 2000
const tries_max = 2

const hasAddresses = (answer: PromiseSettledResult<ReadonlyArray<string>>) =>
  answer.status === "fulfilled" ? answer.value : []

/**
 * Asks the name servers for both kinds of addresses. The system's own lookup is not used: it blocks one of the few
 * threads of the process, for as long as the name servers of a slow domain take.
 *
 * @param servers the addresses of the name servers. By default those of the system.
 */
export const resolveWith =
  (servers?: ReadonlyArray<string>): Resolve =>
  async (hostname) => {
    // A resolver keeps the servers that the system had when it was made, so each lookup makes its own.
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
 * The lookup of a connection. It returns the checked addresses to the socket, which connects to exactly these. A name
 * that changes its addresses between the check and the connection therefore gains nothing.
 *
 * One refused address refuses the name. A public name has no address inside a network, except by mistake or to attack.
 * Using only its public addresses would hide the mistake.
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
