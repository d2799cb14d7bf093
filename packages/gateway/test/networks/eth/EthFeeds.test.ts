import { assert, describe, it } from "@effect/vitest"
import { EthFeeds, type Feeds, UpstreamError } from "@plumbline/gateway"
import * as Random from "@plumbline/seeded/Random"
import { Effect, Exit, Fiber, Logger, Scope } from "effect"
import { TestClock } from "effect/testing"

import * as EthHeader from "../../../src/networks/eth/ethHeader.ts"
import { FakeChain, headerOf, type Log } from "../../support/fakeChain.ts"

const decoder = new TextDecoder()
const A = `0x${"aa".repeat(20)}`
const B = `0x${"bb".repeat(20)}`

/** Opens a feed, and records its events. */
const listen = (feeds: Feeds.Feeds, params: ReadonlyArray<unknown>) =>
  Effect.gen(function* () {
    const heard: Array<{ readonly value: any; readonly block: string | undefined }> = []
    const ended: Array<string> = []
    let close = (): void => assert.fail("not begun")
    const request = yield* Effect.fromResult(feeds.check(params))
    yield* feeds.open(request, {
      begun: (given) => {
        close = given
      },
      event: ({ block, json }) => void heard.push({ value: JSON.parse(decoder.decode(json)), block }),
      end: (why) => void ended.push(why)
    })
    return { heard, ended, close: () => close() }
  })

const hashes = (heard: ReadonlyArray<{ readonly value: any }>): ReadonlyArray<string> =>
  heard.map(({ value }) => value.hash)

const settle = TestClock.adjust("1 second")
const quiet = Effect.provideService(Logger.CurrentLoggers, new Set<Logger.Logger<unknown, unknown>>())

/** Makes a chain and its feeds. The node sends new blocks by itself if `canPush` is true; otherwise it is polled. */
const followed = (canPush: boolean) =>
  Effect.gen(function* () {
    const chain = new FakeChain()
    chain.canPush = canPush
    return { chain, feeds: yield* EthFeeds.make(chain.upstream) }
  })

describe.each([false, true])("feeds of a node (pushes: %s)", (canPush) => {
  it.effect("tell the headers of new blocks, without what is not of a header", () =>
    Effect.gen(function* () {
      const { chain, feeds } = yield* followed(canPush)
      const { ended, heard } = yield* listen(feeds, ["newHeads"])
      yield* settle
      const blocks = [chain.mine(), chain.mine(), chain.mine()]
      yield* settle
      assert.deepStrictEqual(
        heard,
        blocks.map((block) => ({ value: headerOf(block), block: block.hash }))
      )
      assert.deepStrictEqual(ended, [])
    }).pipe(Effect.scoped)
  )

  it.effect("tell all blocks of the new branch after a reorganisation", () =>
    Effect.gen(function* () {
      const { chain, feeds } = yield* followed(canPush)
      const { heard } = yield* listen(feeds, ["newHeads"])
      const old = [chain.mine(), chain.mine()]
      yield* settle
      const next = [chain.mine([], 2), chain.mine(), chain.mine()]
      yield* settle
      assert.deepStrictEqual(
        hashes(heard),
        [...old, ...next].map(({ hash }) => hash)
      )
    }).pipe(Effect.scoped)
  )

  it.effect("follow a branch that begins below the head they began with", () =>
    Effect.gen(function* () {
      const { chain, feeds } = yield* followed(canPush)
      for (let count = 0; count < 5; count++) chain.mine()
      const { ended, heard } = yield* listen(feeds, ["newHeads"])
      yield* settle
      const next = [chain.mine([], 4), chain.mine(), chain.mine(), chain.mine(), chain.mine()]
      yield* settle
      assert.deepStrictEqual(
        hashes(heard),
        next.map(({ hash }) => hash)
      )
      assert.deepStrictEqual(ended, [])
    }).pipe(Effect.scoped)
  )

  it.effect("wait for a node that is behind, and tell nothing twice", () =>
    Effect.gen(function* () {
      const { chain, feeds } = yield* followed(canPush)
      for (let count = 0; count < 5; count++) chain.mine()
      const { ended, heard } = yield* listen(feeds, ["newHeads"])
      yield* settle
      const ahead = [...chain.canonical]
      chain.canonical.splice(-3)
      yield* TestClock.adjust("40 seconds")
      assert.deepStrictEqual([heard, ended], [[], []])
      chain.canonical.splice(0, Infinity, ...ahead)
      const { hash } = chain.mine()
      yield* settle
      assert.deepStrictEqual(hashes(heard), [hash])
    }).pipe(Effect.scoped)
  )

  it.effect("ask again for a block that a node does not have yet, and end when it never has it", () =>
    Effect.gen(function* () {
      const { chain, feeds } = yield* followed(canPush)
      const { ended, heard } = yield* listen(feeds, ["newHeads"])
      yield* settle
      for (const _ of [1, 2]) {
        chain.hides = true
        chain.isMute = true
        chain.mine()
        chain.isMute = false
        chain.mine()
        for (let count = 0; count < 4; count++) yield* settle
        chain.hides = false
        yield* settle
      }
      assert.strictEqual(heard.length, 4)
      chain.hides = true
      chain.isMute = true
      chain.mine()
      chain.mine()
      for (let count = 0; count < 40; count++) yield* settle
      assert.deepStrictEqual(ended, ["missed"])
      assert.strictEqual(heard.length, 4)
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("do not end by heads that a node makes up", () =>
    Effect.gen(function* () {
      const { chain, feeds } = yield* followed(canPush)
      const { ended, heard } = yield* listen(feeds, ["newHeads"])
      yield* settle
      const madeUp = (count: number) => `0x${"e".repeat(62)}${(16 + count).toString(16)}`
      for (let count = 0; count < 12; count++) {
        chain.push("newHeads", { number: "0x10", hash: madeUp(count), parentHash: madeUp(100 + count) })
        yield* settle
      }
      // neither by one far above its true parent
      chain.push("newHeads", { number: "0xffffffff", hash: madeUp(99), parentHash: chain.canonical.at(-1)!.hash })
      yield* settle
      const { hash } = chain.mine()
      yield* settle
      assert.deepStrictEqual(ended, [])
      assert.deepStrictEqual(hashes(heard), [hash])
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("tell a branch again that was left and is the chain's once more", () =>
    Effect.gen(function* () {
      const { chain, feeds } = yield* followed(canPush)
      const { ended, heard } = yield* listen(feeds, ["newHeads"])
      const left = chain.mine()
      const before = [...chain.canonical]
      yield* settle
      const other = chain.mine([], 1)
      yield* settle
      chain.canonical.splice(0, Infinity, ...before)
      const last = chain.mine()
      yield* settle
      assert.deepStrictEqual(
        hashes(heard),
        [left, other, left, last].map(({ hash }) => hash)
      )
      assert.deepStrictEqual(ended, [])
    }).pipe(Effect.scoped)
  )

  it.effect("tell logs that a filter selects, and take back those of blocks that are", () =>
    Effect.gen(function* () {
      const { chain, feeds } = yield* followed(canPush)
      const ofA = yield* listen(feeds, ["logs", { address: A.toUpperCase().replace("0X", "0x") }])
      const all = yield* listen(feeds, ["logs", {}])
      const first = chain.mine([A, B, A])
      yield* settle
      const told = chain.logsOf(first.hash)
      const values = (heard: ReadonlyArray<{ readonly value: Log }>) => heard.map(({ value }) => value)
      assert.deepStrictEqual(values(all.heard), [...told])
      assert.deepStrictEqual(values(ofA.heard), [told[0], told[2]])
      assert.strictEqual(ofA.heard[0]?.block, first.hash)
      const second = chain.mine([B], 1)
      yield* settle
      assert.deepStrictEqual(values(ofA.heard).slice(2), [
        { ...told[2]!, removed: true },
        { ...told[0]!, removed: true }
      ])
      assert.deepStrictEqual(values(all.heard).at(-1), chain.logsOf(second.hash)[0])
    }).pipe(Effect.scoped)
  )

  it.effect("tell alike filters the same, whatever their case and order, and mix them with no other", () =>
    Effect.gen(function* () {
      const { chain, feeds } = yield* followed(canPush)
      const upper = A.toUpperCase().replace("0X", "0x")
      // `topic` is in the block that is mined below; `other` is not.
      const topic = `0x${"0".repeat(63)}2`
      const other = `0x${"0".repeat(63)}1`
      const filters: ReadonlyArray<readonly [filter: unknown, heard: ReadonlyArray<string>]> = [
        [{ address: A }, [A, A]],
        [{ address: upper }, [A, A]],
        [{ address: [A, B] }, [A, B, A]],
        [{ address: [B, upper] }, [A, B, A]],
        [{ address: B }, [B]],
        [{ address: [] }, [A, B, A]],
        [{}, [A, B, A]],
        [{ address: B, topics: [topic] }, [B]],
        [{ address: B, topics: [other] }, []],
        [{ topics: [[other, topic]] }, [A, B, A]],
        [{ topics: [[topic, other]] }, [A, B, A]],
        [{ topics: [null, topic] }, []]
      ]
      const all = yield* Effect.forEach(filters, ([filter]) => listen(feeds, ["logs", filter]))
      yield* settle
      chain.mine([A, B, A])
      yield* settle
      for (const [index, { heard }] of all.entries()) {
        const [filter, expected] = filters[index]!
        assert.deepStrictEqual(
          heard.map(({ value }) => value.address),
          [...expected],
          JSON.stringify(filter)
        )
      }
      assert.strictEqual(chain.asked.filter((method) => method === "eth_getLogs").length, 1)
    }).pipe(Effect.scoped)
  )

  it.effect("tell no logs of another block, and end when a node has no others", () =>
    Effect.gen(function* () {
      const { chain, feeds } = yield* followed(canPush)
      const first = chain.mine([A])
      const { ended, heard } = yield* listen(feeds, ["logs", {}])
      chain.isConfused = true
      const second = chain.mine([B])
      yield* TestClock.adjust("3 seconds")
      chain.isConfused = false
      yield* TestClock.adjust("4 seconds")
      assert.deepStrictEqual(
        heard.map(({ block }) => block),
        [second.hash]
      )
      assert.notStrictEqual(first.hash, second.hash)
      chain.isConfused = true
      chain.mine([B])
      yield* TestClock.adjust("20 seconds")
      assert.deepStrictEqual(ended, ["missed"])
      assert.strictEqual(heard.length, 1)
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("pass over the logs of a block that was taken back before they could be read", () =>
    Effect.gen(function* () {
      const { chain, feeds } = yield* followed(canPush)
      chain.forgets = true
      chain.mine([A])
      const { ended, heard } = yield* listen(feeds, ["logs", {}])
      chain.isConfused = true
      chain.mine([A])
      yield* settle
      const { hash } = chain.mine([B], 1)
      chain.isConfused = false
      yield* TestClock.adjust("10 seconds")
      yield* settle
      assert.deepStrictEqual(
        heard.map(({ block }) => block),
        [hash]
      )
      assert.deepStrictEqual(ended, [])
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("ask the node once for all who listen, and nothing when nobody does", () =>
    Effect.gen(function* () {
      const { chain, feeds } = yield* followed(canPush)
      const heads = yield* Effect.all(Array.from({ length: 50 }, () => listen(feeds, ["newHeads"])))
      const logs = yield* Effect.all(
        Array.from({ length: 50 }, (_, index) => listen(feeds, ["logs", { address: index % 2 === 0 ? A : B }]))
      )
      yield* settle
      const before = chain.asked.length
      chain.mine([A])
      yield* settle
      assert.isAtMost(chain.asked.length - before, 3)
      assert.strictEqual(chain.asked.filter((method) => method === "eth_getLogs").length, 1)
      assert.isAtMost(chain.subscriptions, 1)
      for (const { heard } of heads) assert.strictEqual(heard.length, 1)
      for (const [index, { heard }] of logs.entries()) assert.strictEqual(heard.length, index % 2 === 0 ? 1 : 0)
      for (const { close } of [...heads, ...logs]) {
        close()
        close()
      }
      yield* settle
      const after = chain.asked.length
      chain.mine([A])
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(chain.asked.length, after)
      assert.strictEqual(chain.subscriptions, 0)
      assert.isTrue(heads.every(({ heard }) => heard.length === 1))
    }).pipe(Effect.scoped)
  )

  it.effect("begin anew at the head of that time, for whoever comes when all others have left", () =>
    Effect.gen(function* () {
      const { chain, feeds } = yield* followed(canPush)
      const { close } = yield* listen(feeds, ["newHeads"])
      close()
      chain.mine()
      chain.mine()
      const { heard } = yield* listen(feeds, ["newHeads"])
      yield* settle
      assert.deepStrictEqual(heard, [])
      const { hash } = chain.mine()
      yield* settle
      assert.deepStrictEqual(hashes(heard), [hash])
    }).pipe(Effect.scoped)
  )

  it.effect("fill what happened while the node could not be asked", () =>
    Effect.gen(function* () {
      const { chain, feeds } = yield* followed(canPush)
      const { ended, heard } = yield* listen(feeds, ["newHeads"])
      const { heard: logs } = yield* listen(feeds, ["logs", {}])
      yield* settle
      chain.isDown = true
      yield* chain.disconnect
      const missed = Array.from({ length: 20 }, () => chain.mine([A]))
      yield* TestClock.adjust("30 seconds")
      assert.deepStrictEqual(heard, [])
      chain.isDown = false
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(heard.length, missed.length)
      const { hash } = chain.mine([B])
      yield* settle
      const expected = [...missed.map(({ hash }) => hash), hash]
      assert.deepStrictEqual(hashes(heard), expected)
      assert.deepStrictEqual(
        logs.map(({ block }) => block),
        expected
      )
      assert.deepStrictEqual(ended, [])
      assert.strictEqual(chain.subscriptions, canPush ? 1 : 0)
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("say that something was missed when it was too much to read", () =>
    Effect.gen(function* () {
      const { chain, feeds } = yield* followed(canPush)
      const heads = yield* listen(feeds, ["newHeads"])
      const logs = yield* listen(feeds, ["logs", {}])
      yield* settle
      chain.isDown = true
      yield* chain.disconnect
      for (let count = 0; count < 300; count++) chain.mine([A])
      chain.isDown = false
      yield* TestClock.adjust("20 seconds")
      for (const { ended, heard } of [heads, logs]) {
        assert.deepStrictEqual(heard, [])
        assert.deepStrictEqual(ended, ["missed"])
      }
      // The same listener can subscribe again, and gets new events.
      const { heard } = yield* listen(feeds, ["newHeads"])
      const { hash } = chain.mine()
      yield* settle
      assert.deepStrictEqual(hashes(heard), [hash])
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("tell those who listen when they end themselves", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { chain, feeds } = yield* Scope.provide(followed(canPush), scope)
      const all = [
        yield* listen(feeds, ["newHeads"]),
        yield* listen(feeds, ["logs", {}]),
        yield* listen(feeds, ["syncing"])
      ]
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(
        all.map(({ ended }) => ended),
        [["closed"], ["closed"], ["closed"]]
      )
      chain.mine()
      const { length } = chain.asked
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(chain.asked.length, length)
    })
  )

  it.effect.each(["eth_getBlockByNumber", "eth_getBlockByHash", "eth_getLogs"])(
    "leave nobody waiting when what follows %s dies",
    (method) =>
      Effect.gen(function* () {
        const chain = new FakeChain()
        chain.canPush = canPush
        const { upstream } = chain
        let isOdd = false
        const odd = {
          ...upstream,
          call: (name: string, params: ReadonlyArray<unknown>) =>
            isOdd && name === method ? Effect.die(new Error("odd")) : upstream.call(name, params)
        }
        const feeds = yield* EthFeeds.make(odd)
        const heads = yield* listen(feeds, ["newHeads"])
        const logs = yield* listen(feeds, ["logs", {}])
        yield* settle
        isOdd = true
        chain.isMute = true
        chain.mine([A])
        chain.isMute = false
        chain.mine([A])
        yield* TestClock.adjust("20 seconds")
        assert.deepStrictEqual(logs.ended, ["missed"])
        assert.deepStrictEqual(heads.ended, method === "eth_getLogs" ? [] : ["missed"])
        isOdd = false
        const again = yield* listen(feeds, ["logs", {}])
        chain.mine([A])
        yield* settle
        assert.strictEqual(again.heard.length, 1)
      }).pipe(Effect.scoped, quiet)
  )

  it.effect("begin with the node's fault when it cannot be read", () =>
    Effect.gen(function* () {
      const { chain, feeds } = yield* followed(canPush)
      chain.isDown = true
      for (const params of [["newHeads"], ["logs", {}], ["syncing"]]) {
        const error = yield* Effect.flip(listen(feeds, params))
        assert.include(String(Object(error).message), "ECONNREFUSED")
      }
      chain.isDown = false
      const { heard } = yield* listen(feeds, ["newHeads"])
      chain.mine()
      yield* settle
      assert.strictEqual(heard.length, 1)
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("are whole whatever the chain and the connection do", () =>
    Effect.gen(function* () {
      for (let seed = 1; seed <= Random.runs(15); seed++) {
        const random = Random.make(seed)
        const { chain, feeds } = yield* followed(canPush)
        chain.mine()
        const base = chain.head
        const heads = yield* listen(feeds, ["newHeads"])
        const { heard } = heads
        const logs = yield* listen(feeds, ["logs", { address: [A] }])
        yield* settle
        for (let step = 0; step < 60; step++) {
          const addresses = Array.from({ length: Random.int(random, 3) }, () => Random.pick(random, [A, B]))
          const above = chain.canonical.length - 1 - chain.canonical.indexOf(base)
          switch (Random.int(random, 6)) {
            case 0:
              chain.mine(addresses, Math.min(Random.int(random, 4), above))
              break
            case 1:
              chain.isDown = Random.int(random, 2) === 0
              yield* chain.disconnect
              break
            case 2:
              yield* TestClock.adjust(Random.int(random, 5000))
              break
            default:
              chain.mine(addresses)
          }
        }
        chain.isDown = false
        chain.mine([A])
        for (let count = 0; count < 8; count++) yield* TestClock.adjust("5 seconds")

        // Each header was sent once, and after its parent. Following the parents back from the last header gives the
        // chain.
        const told = new Map<string, any>()
        for (const { value } of heard) {
          assert.isFalse(told.has(value.hash))
          assert.isTrue(value.parentHash === base.hash || told.has(value.parentHash))
          told.set(value.hash, value)
        }
        const walked: Array<string> = []
        for (let hash = heard.at(-1)!.value.hash; hash !== base.hash; hash = told.get(hash).parentHash)
          walked.push(hash)
        const chained = chain.canonical.slice(chain.canonical.indexOf(base) + 1).map(({ hash }) => hash)
        assert.deepStrictEqual(walked.toReversed(), chained)

        // The logs that were sent, without the removed ones, are the logs of the chain.
        const present: Array<string> = []
        for (const { value } of logs.heard) {
          const name = `${value.blockHash} ${value.logIndex}`
          if (!value.removed) present.push(name)
          else
            present.splice(present.lastIndexOf(name), present.includes(name) ? 1 : assert.fail(`${name} was not told`))
        }
        assert.deepStrictEqual(
          present.toSorted(),
          chained
            .flatMap((hash) => chain.logsOf(hash))
            .filter(({ address }) => address === A)
            .map(({ blockHash, logIndex }) => `${blockHash} ${logIndex}`)
            .toSorted()
        )
        assert.deepStrictEqual([...heads.ended, ...logs.ended], [])
        heads.close()
        logs.close()
      }
    }).pipe(Effect.scoped, quiet)
  )
})

describe("a block that trust named", () => {
  /** Feeds of a node whose answers about blocks in `named` are vouched for. */
  const trusting = Effect.gen(function* () {
    const chain = new FakeChain()
    const named = new Set<string>([chain.head.hash])
    const vouched = new WeakSet<Uint8Array>()
    const { call } = chain.upstream
    const feeds = yield* EthFeeds.make({
      call: (method, params) =>
        Effect.tap(
          // this node finds blocks by their numbers too
          method === "eth_getBlockByNumber" && params[0] !== "latest"
            ? Effect.succeed<Uint8Array>(
                new TextEncoder().encode(JSON.stringify(chain.canonical[Number(params[0])] ?? null))
              )
            : call(method, params),
          (answer) =>
            Effect.sync(() => {
              const hash = EthHeader.read(answer)?.hash
              if (hash !== undefined && named.has(hash)) vouched.add(answer)
            })
        ),
      isVouched: (answer) => vouched.has(answer)
    })
    return { chain, feeds, named }
  })
  const marks = (heard: ReadonlyArray<{ readonly value: any }>) =>
    heard.map(({ value }) => `${value.removed === true ? "-" : "+"}${value.address.slice(2, 4)}`)

  it.effect("stays if trust named it after it was first read, and names none when the node shows a sibling", () =>
    Effect.gen(function* () {
      const { chain, feeds, named } = yield* trusting
      const { heard } = yield* listen(feeds, ["logs", {}])
      yield* settle
      const first = chain.mine([A])
      yield* settle
      named.add(first.hash)
      yield* settle
      named.delete(first.hash)
      chain.mine([B], 1)
      yield* settle
      chain.mine([B])
      yield* settle
      assert.deepStrictEqual(marks(heard), ["+aa"])
    }).pipe(Effect.scoped)
  )

  it.effect("leaves the chain only if trust names another, however often the node shows a sibling", () =>
    Effect.gen(function* () {
      const { chain, feeds, named } = yield* trusting
      const { heard } = yield* listen(feeds, ["logs", {}])
      yield* settle
      const first = chain.mine([A])
      named.add(first.hash)
      yield* settle
      // the sibling, and a block after it
      const sibling = chain.mine([B], 1)
      yield* settle
      chain.mine([B])
      yield* settle
      yield* settle
      assert.deepStrictEqual(marks(heard), ["+aa"])
      named.delete(first.hash)
      yield* settle
      assert.deepStrictEqual(marks(heard), ["+aa"], "trust names none")
      named.add(sibling.hash)
      yield* settle
      assert.deepStrictEqual(marks(heard), ["+aa", "-aa", "+bb", "+bb"])
    }).pipe(Effect.scoped)
  )

  it.effect("stays if the node comes back to it, and no log is sent twice", () =>
    Effect.gen(function* () {
      const { chain, feeds, named } = yield* trusting
      const { heard } = yield* listen(feeds, ["logs", {}])
      yield* settle
      const first = chain.mine([A])
      named.add(first.hash)
      yield* settle
      chain.mine([B], 1)
      yield* settle
      chain.canonical.splice(1, Infinity, first)
      const { hash } = chain.mine([A])
      named.add(hash)
      yield* settle
      assert.deepStrictEqual(marks(heard), ["+aa", "+aa"])
    }).pipe(Effect.scoped)
  )
})

describe("a header", () => {
  it("that is pushed stays as it is", () => {
    const bytes = new TextEncoder().encode(
      ` { "number":"0x1", "extra": 12345678901234567890, "hash":"0x${"AB".repeat(32)}","parentHash":"0x${"0".repeat(64)}"}`
    )
    const block = EthHeader.read(bytes)!
    assert.strictEqual(block.header, bytes)
    assert.strictEqual(block.hash, `0x${"ab".repeat(32)}`)
  })

  it.each([
    "",
    "null",
    "[]",
    '"0x1"',
    "{}",
    '{"number":null,"hash":null,"parentHash":"0x"}',
    `{"number":1,"hash":"0x${"0".repeat(64)}","parentHash":"0x${"0".repeat(64)}"}`,
    `{"number":"0x1","hash":"0x${"0".repeat(63)}","parentHash":"0x${"0".repeat(64)}"}`
  ])("is not %s", (text) => {
    assert.isUndefined(EthHeader.read(new TextEncoder().encode(text)))
  })
})

describe("a node that pushes", () => {
  it.effect("is asked for what it did not push yet when it began", () =>
    Effect.gen(function* () {
      const chain = new FakeChain()
      chain.canPush = true
      const { subscribe, ...upstream } = chain.upstream
      const late = {
        ...upstream,
        subscribe: (params: ReadonlyArray<unknown>) => {
          chain.mine()
          return subscribe!(params)
        }
      }
      const { heard } = yield* listen(yield* EthFeeds.make(late), ["newHeads"])
      yield* settle
      assert.deepStrictEqual(hashes(heard), [chain.head.hash])
    }).pipe(Effect.scoped)
  )

  it.effect("is asked when it has pushed nothing for a while", () =>
    Effect.gen(function* () {
      const { chain, feeds } = yield* followed(true)
      const { heard } = yield* listen(feeds, ["newHeads"])
      yield* settle
      chain.isMute = true
      chain.mine()
      yield* TestClock.adjust("16 seconds")
      yield* settle
      assert.deepStrictEqual(hashes(heard), [chain.head.hash])
    }).pipe(Effect.scoped)
  )
})

describe("pending transactions", () => {
  it.effect("are read from the pending block of a node that does not push, each once", () =>
    Effect.gen(function* () {
      const { chain, feeds } = yield* followed(false)
      const [first, second, third] = ["01", "02", "03"].map((byte) => `0x${byte.repeat(32)}`)
      chain.pending = [first]
      const hashes = yield* listen(feeds, ["newPendingTransactions"])
      chain.pending = [first, second, 7, null]
      yield* settle
      chain.isDown = true
      yield* settle
      chain.isDown = false
      chain.pending = [third, second]
      yield* settle
      assert.deepStrictEqual(
        hashes.heard.map(({ value }) => value),
        [second, third]
      )
      hashes.close()
      chain.pending = []
      const whole = yield* listen(feeds, ["newPendingTransactions", true])
      const place = { blockHash: third, blockNumber: "0x10", transactionIndex: "0x0" }
      chain.pending = [{ hash: first, nonce: "0x1", ...place }, { nonce: "0x2" }]
      yield* TestClock.adjust("3 seconds")
      assert.deepStrictEqual(
        whole.heard.map(({ value }) => value),
        [{ hash: first, nonce: "0x1", blockHash: null, blockNumber: null, transactionIndex: null }]
      )
      whole.close()
      const { length } = chain.asked
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(chain.asked.length, length)
      chain.isDown = true
      const error = yield* Effect.flip(listen(feeds, ["newPendingTransactions"]))
      assert.instanceOf(error, UpstreamError.UpstreamError)
    }).pipe(Effect.scoped)
  )

  it.effect("are refused if the node has no pending block, and end if it stops having one", () =>
    Effect.gen(function* () {
      const { chain, feeds } = yield* followed(false)
      chain.pending = undefined
      const error = yield* Effect.flip(listen(feeds, ["newPendingTransactions"]))
      assert.include(error, { code: -32601 })
      chain.pending = []
      const hashes = yield* listen(feeds, ["newPendingTransactions"])
      chain.pending = undefined
      yield* settle
      assert.deepStrictEqual(hashes.ended, ["missed"])
    }).pipe(Effect.scoped)
  )

  it.effect("are shared, and go on after the connection was lost", () =>
    Effect.gen(function* () {
      const { chain, feeds } = yield* followed(true)
      const all = yield* Effect.all(Array.from({ length: 10 }, () => listen(feeds, ["newPendingTransactions"])))
      assert.strictEqual(chain.subscriptions, 1)
      chain.push("newPendingTransactions", "0x01")
      yield* chain.disconnect
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(chain.subscriptions, 1)
      chain.push("newPendingTransactions", "0x02")
      yield* settle
      for (const { ended, heard } of all) {
        assert.deepStrictEqual(
          heard.map(({ value }) => value),
          ["0x01", "0x02"]
        )
        assert.deepStrictEqual(ended, [])
      }
      for (const { close } of all) close()
      yield* settle
      assert.strictEqual(chain.subscriptions, 0)
    }).pipe(Effect.scoped)
  )
})

describe("a feed that was given up before it began", () => {
  it.effect("takes nothing away from the one that comes after it", () =>
    Effect.gen(function* () {
      const chain = new FakeChain()
      chain.canPush = true
      const { call, subscribe } = chain.upstream
      let count = 0
      const slow = Effect.onInterrupt(Effect.never, () => Effect.sleep("1 second"))
      const scope = yield* Scope.make()
      const feeds = yield* Scope.provide(
        EthFeeds.make({
          call,
          subscribe: (params) => Effect.suspend(() => (count++ === 0 ? slow : subscribe!(params)))
        }),
        scope
      )
      const first = yield* Effect.forkChild(listen(feeds, ["newPendingTransactions"]), { startImmediately: true })
      yield* TestClock.adjust(0)
      assert.strictEqual(count, 1)
      yield* Effect.forkChild(Fiber.interrupt(first), { startImmediately: true })
      const second = yield* listen(feeds, ["newPendingTransactions"])
      yield* TestClock.adjust("2 seconds")
      const third = yield* listen(feeds, ["newPendingTransactions"])
      assert.deepStrictEqual([count, chain.subscriptions], [2, 1])
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual([second.ended, third.ended], [["closed"], ["closed"]])
      assert.strictEqual(chain.subscriptions, 0)
    })
  )
})

describe("syncing", () => {
  it.effect("is told when it begins and when it ends", () =>
    Effect.gen(function* () {
      const { chain, feeds } = yield* followed(false)
      const { heard } = yield* listen(feeds, ["syncing"])
      const status = { startingBlock: "0x0", currentBlock: "0x1", highestBlock: "0x2" }
      for (const syncing of [false, status, status, false]) {
        chain.syncing = syncing
        yield* TestClock.adjust("5 seconds")
      }
      assert.deepStrictEqual(
        heard.map(({ value }) => value),
        [{ syncing: true, status }, false]
      )
    }).pipe(Effect.scoped)
  )
})

describe("what is asked for", () => {
  it.effect.each([
    [["newHeads"], undefined],
    [["newHeads", 1], "too many arguments, want at most 1"],
    [["logs"], "missing value for required argument 1"],
    [["logs", { address: "0x12" }], "invalid argument 1"],
    [["logs", { topics: [null, [`0x${"0".repeat(64)}`]] }], undefined],
    [["newPendingTransactions", true], undefined],
    [["newPendingTransactions", "yes"], "invalid argument 1"],
    [["syncing"], undefined],
    [['new"Heads<b>'], 'no "new?Heads?b?" subscription in eth namespace'],
    [[], "expected subscription name as first argument"],
    [[{}], "expected subscription name as first argument"],
    [undefined, "non-array args"],
    [{ subscription: "newHeads" }, "non-array args"]
  ] as const)("%j is checked in geth's words", ([params, expected]) =>
    Effect.gen(function* () {
      const { feeds } = yield* followed(true)
      const checked = feeds.check(params)
      const message = checked._tag === "Failure" ? checked.failure.message : undefined
      if (expected === undefined) assert.isUndefined(message)
      else assert.include(String(message), expected)
    }).pipe(Effect.scoped)
  )
})
