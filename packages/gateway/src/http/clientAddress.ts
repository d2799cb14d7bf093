/** Finds the caller's address: the remote address of the connection, or the address that a trusted proxy names. */
import type { IncomingHttpHeaders } from "node:http"
import { BlockList, isIP } from "node:net"

/** The part of a request that names its caller. `node:http`'s `IncomingMessage` is one. */
export interface AddressedRequest {
  readonly headers: IncomingHttpHeaders
  readonly socket: { readonly remoteAddress?: string | undefined }
}

/** Returns the address of a request's caller. */
export type ClientAddressOf = (request: AddressedRequest) => string

/** True for an address, or a network such as 10.0.0.0/8. */
export const isProxy = (proxy: string): boolean => add(new BlockList(), proxy)

/** Returns the function for these trusted proxies, which `isProxy` has accepted. */
export const make = (proxies: ReadonlyArray<string>): ClientAddressOf => {
  if (proxies.length === 0) return remoteOf
  const trusted = new BlockList()
  for (const proxy of proxies) add(trusted, proxy)
  return (request) => {
    const remote = remoteOf(request)
    if (!isTrusted(trusted, remote)) return remote
    // Each proxy appends the address of its client. The last address that is not a trusted proxy is the caller's. The
    // entries before that address may be forged.
    const chain = String(request.headers["x-forwarded-for"] ?? "").split(",")
    let caller = remote
    for (const named of chain.toReversed()) {
      const address = bare(named.trim())
      if (isIP(address) === 0) return caller
      caller = address
      if (!isTrusted(trusted, address)) return caller
    }
    return caller
  }
}

/** Returns the address that the peer of a Unix socket names. The peer has replaced the header that it received. */
export const ofPeer: ClientAddressOf = ({ headers }) => String(headers["x-forwarded-for"] ?? "")

const remoteOf = (request: AddressedRequest): string => request.socket.remoteAddress ?? ""

const add = (list: BlockList, proxy: string): boolean => {
  const [address = "", prefix, ...rest] = proxy.split("/")
  const version = isIP(address)
  if (version === 0 || rest.length > 0) return false
  const bits = version === 4 ? 32 : 128
  if (prefix === undefined) list.addAddress(address, familyOf(version))
  else if (!/^\d{1,3}$/u.test(prefix) || Number(prefix) > bits) return false
  else list.addSubnet(address, Number(prefix), familyOf(version))
  return true
}

/** True if the address is in the list. A BlockList also finds an IPv4 address that is written as IPv6. */
const isTrusted = (list: BlockList, address: string): boolean => {
  const version = isIP(address)
  return version !== 0 && list.check(address, familyOf(version))
}

const familyOf = (version: number): "ipv4" | "ipv6" => (version === 4 ? "ipv4" : "ipv6")

/** Returns an address without brackets and without the port that some proxies add. */
const bare = (address: string): string => {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/u.exec(address)
  if (bracketed !== null) return bracketed[1]!
  const withPort = /^([^:]*):\d+$/u.exec(address)
  return withPort === null ? address : withPort[1]!
}
