/** A chain that only its socket reaches: no port of its process takes a connection from a web page. */
import { readFileSync, statSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import * as path from "node:path"

import { assert, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"

import * as AnvilBinary from "../../src/anvil/anvilBinary.ts"
import { Anvil, PreparedState } from "../../src/index.ts"
import { folder, isAlive, script } from "../support/shared.ts"

const head = ({ transport }: Anvil.AnvilOnSocket) =>
  Effect.map(
    transport.call({ method: "eth_getBlockByNumber", params: ["latest", false] }),
    (block) => (block as { readonly hash: string }).hash
  )

/** The outcome of a TCP connection. */
const reached = (host: string, port: number): Effect.Effect<string> =>
  Effect.callback((resume) => {
    const socket = connect({ host, port })
      .on("connect", () => {
        resume(Effect.succeed("connected"))
        socket.destroy()
      })
      .on("error", (error: NodeJS.ErrnoException) => resume(Effect.succeed(error.code ?? "")))
  })

/** The listening TCP sockets of all processes, from the table of the kernel: addresses and ports. */
const listeners = (): ReadonlyArray<readonly [host: string, port: number]> =>
  readFileSync("/proc/net/tcp", "utf8")
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => line.trim().split(/\s+/u))
    .filter(([, , , state]) => state === "0A")
    .map(([, local = ""]) => {
      const [address = "", port = ""] = local.split(":")
      const host = [6, 4, 2, 0].map((at) => Number.parseInt(address.slice(at, at + 2), 16)).join(".")
      return [host, Number.parseInt(port, 16)]
    })

it.live("a chain on a socket answers there, and ends with its scope", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const at = path.join(yield* folder, "chain.ipc")
      const scope = yield* Scope.make()
      const chain = yield* Scope.provide(Anvil.makeOnSocket(at), scope)
      assert.strictEqual(chain.chainId, 31337)
      assert.strictEqual(yield* head(chain), PreparedState.head.hash)
      assert.isTrue(statSync(at).isSocket())
      const refused = yield* Effect.flip(chain.transport.call({ method: "no_such", params: [] }))
      assert.strictEqual(refused.reason._tag, "RemoteError")
      yield* Scope.close(scope, Exit.void)
      assert.isFalse(isAlive(chain.pid))
      assert.strictEqual((yield* Effect.flip(head(chain))).reason._tag, "TransportError")
    })
  )
)

it.live.skipIf(process.platform !== "linux")("on Linux no connection can be made to its port", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const before = new Set(listeners().map(([host, port]) => `${host} ${port}`))
      yield* Anvil.makeOnSocket(path.join(yield* folder, "chain.ipc"))
      const own = listeners().filter(([host, port]) => host === "239.255.0.1" && !before.has(`${host} ${port}`))
      assert.isAtLeast(own.length, 1)
      for (const [host, port] of own) assert.strictEqual(yield* reached(host, port), "ENETUNREACH")
    })
  )
)

it.live.skipIf(process.platform === "win32")("elsewhere its port is one that no browser connects to", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const dir = yield* folder
      const anvil = yield* AnvilBinary.find({})
      const note = path.join(dir, "args")
      // a system that takes no multicast address, as macOS
      const binary = yield* script(
        'case "$*" in *239.255.0.1*) echo "Error: Address family not supported (os error 47)" >&2; exit 1;; esac',
        `echo "$@" >> ${note}`,
        `exec ${anvil} "$@"`
      )
      const [one, other] = yield* Effect.all([
        Anvil.makeOnSocket(path.join(dir, "one.ipc"), { binary }),
        Anvil.makeOnSocket(path.join(dir, "other.ipc"), { binary })
      ])
      assert.strictEqual(yield* head(one), yield* head(other))
      const ports = readFileSync(note, "utf8").match(/(?<=--port )\d+/gu)!
      // Node's fetch has the browsers' list of blocked ports
      for (const port of ports) {
        const error = yield* Effect.promise(() => fetch(`http://127.0.0.1:${port}/`).then(String, ({ cause }) => cause))
        assert.strictEqual(String(error), "Error: bad port")
      }
      assert.isAtLeast(new Set(ports).size, 2)
    })
  )
)

it.live("a socket that a killed chain left is replaced, a state that is none is an error at once", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const dir = yield* folder
      const at = path.join(dir, "chain.ipc")
      const first = yield* Anvil.makeOnSocket(at)
      process.kill(first.pid, "SIGKILL")
      assert.strictEqual((yield* first.exited).signal, "SIGKILL")
      assert.isTrue(statSync(at).isSocket())
      assert.strictEqual(yield* head(yield* Anvil.makeOnSocket(at)), PreparedState.head.hash)
      const state = path.join(dir, "state.json")
      writeFileSync(state, "{")
      const { reason } = yield* Effect.flip(Anvil.makeOnSocket(path.join(dir, "none.ipc"), { state }))
      assert.strictEqual(reason._tag, "AnvilDidNotStart")
      assert.include(reason.message, state)
    })
  )
)
