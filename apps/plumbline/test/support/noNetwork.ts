/**
 * Preloaded with `node --import`, it ends the process with code 97 as soon as anything opens a socket, a server or a
 * datagram socket, or resolves a name. It prints the attempt on standard error.
 *
 * It patches the functions that all of Node's own clients use, so it also works on systems that cannot isolate a
 * process from the network.
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
