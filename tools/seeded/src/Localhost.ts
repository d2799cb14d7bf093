/**
 * Resolves names below `localhost` to this machine. RFC 6761 requires this, but not every resolver does it. Clients
 * need no change, and send the host in their usual way.
 */
import dns from "node:dns"

const lookup = dns.lookup as (name: string, ...rest: ReadonlyArray<unknown>) => void

Object.assign(dns, {
  lookup: (name: string, ...rest: ReadonlyArray<unknown>) =>
    lookup(name.endsWith(".localhost") ? "127.0.0.1" : name, ...rest)
})
