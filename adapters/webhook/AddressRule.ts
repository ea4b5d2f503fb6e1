import { isIP } from "node:net"
import ipaddr from "ipaddr.js"

/**
 * The IPv6 range that contains all public addresses. The IPv4-mapped and NAT64 addresses are outside this range. They lead
 * to an IPv4 address that this rule would not check.
 */
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3")

/**
 * Address of Azure's metadata and name service. The address is in a public range, but leads into the cloud account of this
 * machine.
 */
const azurePlatform = "168.63.129.16"

const loopback = "loopback"

const isPublic = (address: ipaddr.IPv4 | ipaddr.IPv6): boolean =>
  address.range() === "unicast" &&
  (address instanceof ipaddr.IPv6 ? address.match(globalUnicast) : address.toString() !== azurePlatform)

/**
 * Whether a webhook may connect to an IP address: it must be public. Everything that leads into this machine, its
 * network or its cloud account is refused, and so are IPv6 addresses that contain an IPv4 address.
 *
 * @param local whether this machine itself is allowed, for development.
 */
export const acceptsAddress =
  (local: boolean) =>
  (text: string): boolean => {
    if (isIP(text) === 0) return false
    const address = ipaddr.parse(text)
    return isPublic(address) || (local && address.range() === loopback)
  }
