import { writeFileSync } from "node:fs"
import { connect } from "node:net"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

import { assert, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"

import { Anvil, AnvilError, PreparedState } from "../../src/index.ts"
import { childrenOf, eventually, folder, gone, isAlive, reasonFor, rpc } from "../support/shared.ts"

const answersAt = (host: string, port: number): Effect.Effect<boolean> =>
  Effect.callback((resume) => {
    const socket = connect({ host, port })
    socket.once("connect", () =>
      resume(
        Effect.as(
          Effect.sync(() => socket.destroy()),
          true
        )
      )
    )
    socket.once("error", () => resume(Effect.succeed(false)))
  })

it.live("a chain starts, answers, and is gone when its scope closes", () =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const anvil = yield* Scope.provide(Anvil.make({ state: "empty" }), scope)
    const watchers = childrenOf(anvil.pid)
    assert.strictEqual(anvil.url, `http://127.0.0.1:${anvil.port}`)
    assert.strictEqual(anvil.wsUrl, `ws://127.0.0.1:${anvil.port}`)
    assert.strictEqual(anvil.chainId, 31337)
    assert.strictEqual(yield* rpc(anvil.url, "eth_blockNumber"), "0x0")
    assert.isTrue(isAlive(anvil.pid))
    yield* Scope.close(scope, Exit.void)
    // This need not be polled, because closing the scope waits for the end.
    assert.isFalse(isAlive(anvil.pid))
    yield* gone(...watchers)
    assert.isFalse(yield* answersAt("127.0.0.1", anvil.port))
    assert.strictEqual((yield* anvil.exited).stderr, "")
  })
)

it.live("a layer gives the prepared state, and each layer is a chain of its own", () => {
  const head = Effect.gen(function* () {
    const { port, url } = yield* Anvil.Anvil
    const { hash } = yield* rpc<{ hash: string }>(url, "eth_getBlockByNumber", "latest", false)
    yield* rpc(url, "anvil_mine", "0x1")
    return { port, hash, number: yield* rpc(url, "eth_blockNumber") }
  })
  return Effect.gen(function* () {
    const [one, two] = yield* Effect.all(
      [head.pipe(Effect.provide(Anvil.layer())), head.pipe(Effect.provide(Anvil.layer()))],
      { concurrency: 2 }
    )
    assert.notStrictEqual(one.port, two.port)
    for (const chain of [one, two]) {
      assert.strictEqual(chain.hash, PreparedState.head.hash)
      assert.strictEqual(Number(chain.number), PreparedState.head.number + 1)
    }
  })
})

it.live("it listens on 127.0.0.1 only", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const { port } = yield* Anvil.make({ state: "empty" })
      assert.isTrue(yield* answersAt("127.0.0.1", port))
      assert.isFalse(yield* answersAt("127.0.0.2", port))
    })
  )
)

it.live("it answers over WebSocket at the same port", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const { wsUrl } = yield* Anvil.make({ state: "empty" })
      const answer = yield* Effect.callback<string>((resume) => {
        const socket = new WebSocket(wsUrl)
        socket.addEventListener("open", () =>
          socket.send(`{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}`)
        )
        socket.addEventListener("message", (message) => {
          resume(Effect.succeed(String(message.data)))
          socket.close()
        })
        socket.addEventListener("error", () => resume(Effect.die(new Error("no WebSocket"))))
      })
      assert.strictEqual(JSON.parse(answer).result, "0x7a69")
    })
  )
)

it.live("the options are those of the chain", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const options = { state: "empty", chainId: 7, hardfork: "shanghai", genesisTime: 1_700_000_000 } as const
      const { chainId, url } = yield* Anvil.make(options)
      assert.strictEqual(chainId, 7)
      const genesis = yield* rpc<Record<string, string>>(url, "eth_getBlockByNumber", "0x0", false)
      assert.strictEqual(Number(genesis["timestamp"]), 1_700_000_000)
      const { hardFork } = yield* rpc<{ hardFork: string }>(url, "anvil_nodeInfo")
      assert.strictEqual(hardFork, "Shanghai")
    })
  )
)

it.live("with a block time it mines by itself", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const { url } = yield* Anvil.make({ state: "empty", blockTime: "200 millis" })
      const number = Effect.map(rpc(url, "eth_blockNumber"), Number)
      yield* eventually(
        "two blocks",
        Effect.map(number, (n) => n >= 2)
      )
    })
  )
)

it.live("the history says how far back a proof reaches", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const { url } = yield* Anvil.make({ state: "empty", history: 4 })
      for (let i = 0; i < 10; i++) yield* rpc(url, "anvil_mine", "0x1")
      const proofAt = (number: number) =>
        Effect.exit(rpc(url, "eth_getProof", PreparedState.accounts[0]!.address, [], `0x${number.toString(16)}`))
      const provable: Array<number> = []
      for (let number = 1; number <= 10; number++) {
        if (Exit.isSuccess(yield* proofAt(number))) provable.push(number)
      }
      assert.deepStrictEqual(provable, [6, 7, 8, 9, 10])
    })
  )
)

it.live("a state of one's own is loaded from its path", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const file = path.relative(process.cwd(), fileURLToPath(PreparedState.stateFile))
      const { url } = yield* Anvil.make({ state: file })
      assert.strictEqual(Number(yield* rpc(url, "eth_blockNumber")), PreparedState.head.number)
    })
  )
)

it.live("a state that is none is an error with what anvil said", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const state = path.join(yield* folder, "state.json")
      for (const text of [undefined, "{"]) {
        if (text !== undefined) writeFileSync(state, text)
        const reason = yield* reasonFor({ state })
        assert.instanceOf(reason, AnvilError.AnvilDidNotStart)
        assert.strictEqual(reason.exitCode, 2)
        assert.include(reason.stderr, state)
        assert.include(reason.message, state)
      }
    })
  )
)

it.live("a busy port is an error, and its owner is not taken for the chain", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const { port } = yield* Anvil.make({ state: "empty" })
      const reason = yield* reasonFor({ state: "empty", port })
      assert.instanceOf(reason, AnvilError.AnvilDidNotStart)
      assert.strictEqual(reason.exitCode, 1)
      assert.match(reason.stderr, /in use/)
    })
  )
)

it.live("a requested port is used", () => {
  const portOf = (options: Anvil.AnvilOptions) => Effect.scoped(Effect.map(Anvil.make(options), (anvil) => anvil.port))
  return Effect.gen(function* () {
    const port = yield* portOf({ state: "empty" })
    return [port, yield* portOf({ state: "empty", port })]
  }).pipe(
    // The port was free a moment ago, but another process may have taken it since.
    Effect.retry({ times: 5 }),
    Effect.map(([free, used]) => assert.strictEqual(used, free))
  )
})

it.live("a chain that is killed from outside tells", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const anvil = yield* Anvil.make({ state: "empty" })
      const watchers = childrenOf(anvil.pid)
      const waiting = yield* Effect.forkChild(anvil.exited)
      process.kill(anvil.pid, "SIGKILL")
      const end = yield* Fiber.join(waiting)
      assert.instanceOf(end, AnvilError.AnvilExited)
      assert.strictEqual(end.signal, "SIGKILL")
      assert.isNull(end.exitCode)
      assert.isFalse(isAlive(anvil.pid))
      yield* gone(...watchers)
      assert.deepStrictEqual(yield* anvil.exited, end)
    })
  )
)

it.live("a program that is nothing without its chain can fail with its end", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const anvil = yield* Anvil.make({ state: "empty" })
      process.kill(anvil.pid, "SIGTERM")
      const error = yield* Effect.never.pipe(Effect.raceFirst(Effect.flatMap(anvil.exited, Effect.fail)), Effect.flip)
      // anvil installs its signal handler shortly after it begins to listen. Before that, the signal itself ends anvil.
      assert.match(error.message, /^anvil ended, (exit code 0|signal SIGTERM)$/)
    })
  )
)
