/**
 * Preloaded with `node --import`, it ends the process with code 97 as soon as anything reaches for the network: a socket,
 * a server, a datagram, a name. What it reached for goes to standard error.
 *
 * It patches what all of Node's own clients are made of, so it holds where the system cannot cut the network.
 */
import dgram from "node:dgram"
import dns from "node:dns"
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import net from "node:net"

const REACHED = 97

const deny = (target: object, names: ReadonlyArray<string>): void => {
  for (const name of names) {
    Object.assign(target, {
      [name]: () => {
        fs.writeSync(2, `reached for the network by ${name}\n`)
        process.exit(REACHED)
      }
    })
  }
}

deny(net.Socket.prototype, ["connect"])
deny(net.Server.prototype, ["listen"])
deny(dgram, ["createSocket"])
const names = Object.keys(dns).filter((name) => /^(?:lookup|lookupService|resolve.*|reverse)$/u.test(name))
deny(dns, names)
deny(dns.promises, names)
deny(globalThis, ["fetch", "WebSocket", "EventSource"])
syncBuiltinESMExports()
