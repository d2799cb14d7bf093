/** Resolves proxies of each kind that run in ethereumjs, and compares the results with the addresses in the proxies. */
import { assert, describe, it } from "@effect/vitest"
import { Address } from "@plumbline/codec"
import { TrustedBlock } from "@plumbline/eth-methods"
import { Erc1967, Proxy, StorageReason } from "@plumbline/storage-layout"
import { Verdict } from "@plumbline/verdict"
import { Effect } from "effect"
import { type Hex, keccak256, stringToHex, toHex } from "viem"

import * as Evm from "../support/evm.ts"
import * as Node from "../support/node.ts"
import * as Solidity from "../support/solidity.ts"

const TARGET = Address.fromHexUnsafe("0x00000000219ab540356cbb839cbe05303d7705fa")
const ADMIN = Address.fromHexUnsafe("0x52908400098527886e0f7030069857d2e4169ee7")

/** Source of a contract that only stores addresses in slots. */
const keeping = (slots: ReadonlyArray<readonly [preimage: string, minus: number, value: string]>): string =>
  slots
    .map(
      ([preimage, minus, value]) =>
        `store(bytes32(uint256(keccak256("${preimage}")) - ${minus}), uint256(uint160(${value})));`
    )
    .join("\n")
const IMPLEMENTATION = ["eip1967.proxy.implementation", 1, "TARGET"] as const
const ADMINS = ["eip1967.proxy.admin", 1, "ADMIN"] as const
const BEACON = ["eip1967.proxy.beacon", 1, "TARGET"] as const

const constants = `address constant TARGET = address(bytes20(hex"${TARGET.slice(2)}")); address constant ADMIN = address(bytes20(hex"${ADMIN.slice(2)}"));`
const keeper = (name: string, constructor: string) => `contract ${name} { ${constants}
  function store(bytes32 slot, uint256 value) private { assembly { sstore(slot, value) } } constructor() { ${constructor} }
  fallback() external {} }`

/**
 * Source of a contract like Safe's proxies: it delegates to the contract in slot 0, and answers `masterCopy()` with its
 * address.
 */
const safe = (name: string, load: string, asked: string, selector: string) => `contract ${name} {
  address singleton = address(bytes20(hex"${TARGET.slice(2)}"));
  fallback() external payable { assembly {
    ${load}
    if eq(${asked}, ${selector}) { mstore(0, target) return(0, 0x20) }
    calldatacopy(0, 0, calldatasize())
    let success := delegatecall(gas(), target, 0, calldatasize(), 0, 0)
    returndatacopy(0, 0, returndatasize())
    if eq(success, 0) { revert(0, returndatasize()) }
    return(0, returndatasize())
  } }
}`

const { contract } = Solidity.compile(
  `${keeper("Upgradeable", keeping([IMPLEMENTATION, ADMINS]))}
  ${keeper("Beacon", keeping([BEACON, ADMINS]))}
  ${keeper("Both", keeping([IMPLEMENTATION, BEACON]))}
  ${keeper("Proxiable", keeping([["PROXIABLE", 0, "TARGET"]]))}
  ${keeper("Old", keeping([["org.zeppelinos.proxy.implementation", 0, "TARGET"]]))}
  ${keeper("Crowded", `store(bytes32(uint256(keccak256("PROXIABLE"))), type(uint256).max);`)}
  contract Owned { address owner = address(bytes20(hex"${TARGET.slice(2)}")); function who() external view returns (address) { return owner; } }
  ${safe("SafeLike", "let target := and(sload(0), 0xffffffffffffffffffffffffffffffffffffffff)", "calldataload(0)", "0xa619486e00000000000000000000000000000000000000000000000000000000")}
  ${safe("NewSafeLike", "let target := sload(0)", "shr(224, calldataload(0))", "0xa619486e")}`
)

/** Returns creation code that deploys this code. */
const leaving = (code: Hex): Hex => {
  const size = toHex((code.length - 2) / 2, { size: 1 }).slice(2)
  return `0x60${size}600c60003960${size}6000f3${code.slice(2)}`
}
const minimal = `0x363d3d373d3d3d363d73${TARGET.slice(2)}5af43d82803e903d91602b57fd5bf3` as const
/** Code that pushes only 16 bytes of TARGET, because the first four bytes of TARGET are zero. */
const shorter = `0x363d3d373d3d3d363d6f${TARGET.slice(10)}5af43d82803e903d91602757fd5bf3` as const

const resolve = (creationCode: Hex, lie?: Node.Lie) =>
  Effect.gen(function* () {
    const deployed = yield* Effect.promise(() => Evm.deploy({ abi: [], creationCode }))
    const node = yield* Effect.promise(() => Node.make(deployed, lie))
    const address = Address.fromHexUnsafe(deployed.address)
    const trust = node.eth(TrustedBlock.layerNone())
    const verdict = yield* Effect.provide(Proxy.resolve(address, { block: node.hash }), trust)
    // the block is read once, although the proof, the code, and the proof for that code are requested
    assert.lengthOf(
      node.calls.filter(({ method }) => method.startsWith("eth_getBlock")),
      1
    )
    return verdict
  })

const code = (name: string) => contract(name).creationCode

describe("a proxy", () => {
  const kinds: ReadonlyArray<readonly [what: string, Hex, Partial<Proxy.ResolvedProxy>]> = [
    [
      "by EIP-1967, with an admin",
      code("Upgradeable"),
      { kind: "Erc1967", implementation: TARGET, admin: ADMIN, beacon: undefined }
    ],
    [
      "by EIP-1967, with a beacon",
      code("Beacon"),
      { kind: "Beacon", implementation: undefined, admin: ADMIN, beacon: TARGET }
    ],
    [
      "by EIP-1967, with both, of which the implementation counts",
      code("Both"),
      { kind: "Erc1967", implementation: TARGET, admin: undefined, beacon: undefined }
    ],
    ["by EIP-1822", code("Proxiable"), { kind: "Erc1822", implementation: TARGET }],
    ["of ZeppelinOS", code("Old"), { kind: "ZeppelinOs", implementation: TARGET }],
    ["like Safe's up to 1.4", code("SafeLike"), { kind: "Safe", implementation: TARGET }],
    ["like Safe's from 1.5 on", code("NewSafeLike"), { kind: "Safe", implementation: TARGET }],
    ["by EIP-1167", leaving(minimal), { kind: "Minimal", implementation: TARGET }],
    [
      "by EIP-1167, with an address that begins with zeros",
      leaving(shorter),
      { kind: "Minimal", implementation: TARGET }
    ]
  ]
  for (const [what, creationCode, expected] of kinds) {
    it.effect(`${what} is known, with its proof`, () =>
      Effect.gen(function* () {
        const verdict = yield* resolve(creationCode)
        assert.strictEqual(verdict._tag, "VERIFIED")
        assert.deepInclude(verdict.value, expected)
        // no claim remains if the address is in the code
        assert.deepStrictEqual(
          verdict.claimed.map(({ field }) => field),
          expected.kind === "Minimal" ? [] : ["kind"]
        )
        assert.isTrue(verdict.claimed.every(({ reason }) => StorageReason.ProxyConvention.is(reason)))
        const [, words] = Verdict.sentences(verdict).proven
        assert.match(words!, /^6 words of the storage of 0x\w{40}, at block 0x\w{64}, and its code$/)
      })
    )
  }

  it.effect("is not what only looks like one", () =>
    Effect.gen(function* () {
      const others = [
        code("Owned"),
        code("Crowded"),
        // The first proxy jumps to another target. The second one has code after its end.
        leaving(`0x${shorter.slice(2).replace("602757", "602b57")}`),
        leaving(`${minimal}00`),
        leaving("0x00")
      ]
      for (const creationCode of others) {
        const verdict = yield* resolve(creationCode)
        assert.deepInclude(verdict.value, { kind: "None", implementation: undefined })
        assert.deepStrictEqual(
          verdict.claimed.map(({ field }) => field),
          ["kind"]
        )
        assert.isTrue(verdict.claimed.every(({ reason }) => StorageReason.UnknownDelegation.is(reason)))
      }
    })
  )

  it.effect("is refuted when the node lies about its slot or its code", () =>
    Effect.gen(function* () {
      const word: Node.Lie = (method, it) =>
        method === "eth_getProof" && it.storageProof.length > 0
          ? {
              ...it,
              storageProof: it.storageProof.map((one: any, i: number) => (i === 0 ? { ...one, value: "0x7" } : one))
            }
          : it
      const other: Node.Lie = (method, it) =>
        method === "eth_getCode" ? `0x${it.slice(2).replace("219a", "219b")}` : it
      assert.deepInclude(yield* Effect.flip(resolve(code("Upgradeable"), word)), { check: "storageProof[0].value" })
      assert.deepInclude(yield* Effect.flip(resolve(leaving(minimal), other)), { check: "code hash" })
    })
  )

  it("is looked for in the slots that the standards hash", () => {
    const hash = (text: string) => BigInt(keccak256(stringToHex(text)))
    assert.strictEqual(Erc1967.IMPLEMENTATION, hash("eip1967.proxy.implementation") - 1n)
    assert.strictEqual(Erc1967.ADMIN, hash("eip1967.proxy.admin") - 1n)
    assert.strictEqual(Erc1967.BEACON, hash("eip1967.proxy.beacon") - 1n)
    assert.strictEqual(Proxy.ERC1822, hash("PROXIABLE"))
    assert.strictEqual(Proxy.ZEPPELIN_OS, hash("org.zeppelinos.proxy.implementation"))
  })

  it.effect("is found in code that the node writes in capitals, whose hash is the same", () =>
    Effect.gen(function* () {
      const loud: Node.Lie = (method, answer) =>
        method === "eth_getCode" ? `0x${answer.slice(2).toUpperCase()}` : answer
      const verdict = yield* resolve(leaving(minimal), loud)
      assert.deepInclude(verdict.value, { kind: "Minimal", implementation: TARGET })
      assert.deepStrictEqual([verdict._tag, verdict.claimed], ["VERIFIED", []])
    })
  )
})
