/**
 * Reads tokens with well-known layouts. The test contracts declare the same state variables as the libraries, in the
 * same order. The values are compared with the results of the contracts' getters.
 */
import { assert, describe, it } from "@effect/vitest"
import { Address } from "@plumbline/codec"
import { TrustedBlock } from "@plumbline/eth-methods"
import { type ContractStorage, Erc20, Erc7201, Erc721, Layout, Location } from "@plumbline/storage-layout"
import { Effect, Result } from "effect"
import { keccak256, pad, stringToHex, toHex } from "viem"

import * as Evm from "../support/evm.ts"
import * as Node from "../support/node.ts"
import * as Solidity from "../support/solidity.ts"

const address = (n: number) => Address.fromHexUnsafe(pad(toHex(n), { size: 20 }))
const [ANN, BOB, EVE] = [address(0xa11), address(0xb0b), address(0xe7e)]

/** State variables as the sources of the libraries declare them. */
const openZeppelin20 = `mapping(address => uint256) _balances; mapping(address => mapping(address => uint256)) _allowances;
  uint256 _totalSupply; string _name; string _symbol;`
const openZeppelin721 = `string _name; string _symbol; mapping(uint256 => address) _owners; mapping(address => uint256) _balances;
  mapping(uint256 => address) _tokenApprovals; mapping(address => mapping(address => bool)) _operatorApprovals;`

/** Fills the variables; `$` is the prefix of their names. */
const fill20 = ($: string) => `${$}_balances[${ANNS}] = 7; ${$}_balances[${BOBS}] = 2**200;
  ${$}_allowances[${ANNS}][${BOBS}] = 3; ${$}_totalSupply = 99; ${$}_name = "A token with a name of more than 32 bytes"; ${$}_symbol = "TOK";`
const fill721 = ($: string) => `${$}_owners[5] = ${ANNS}; ${$}_tokenApprovals[5] = ${BOBS}; ${$}_balances[${ANNS}] = 1;
  ${$}_name = "A collection"; ${$}_symbol = "COL"; ${$}_operatorApprovals[${ANNS}][${BOBS}] = true;`
const ANNS = `address(0xa11)`
const BOBS = `address(0xb0b)`

const namespaced = (name: string, id: string, members: string, fill: string) => `contract ${name} {
  /// @custom:storage-location erc7201:${id}
  struct Main { ${members} }
  constructor() {
    Main storage $;
    bytes32 slot = keccak256(abi.encode(uint256(keccak256("${id}")) - 1)) & ~bytes32(uint256(0xff));
    assembly { $.slot := slot }
    ${fill}
  }
}`

const { contract, output } = Solidity.compile(`
  contract Initializable { uint8 _initialized = 1; bool _initializing; }
  contract Context is Initializable { uint256[50] __gap; }
  contract Erc165 is Context { uint256[50] __gap2; }
  contract OpenZeppelin20 { ${openZeppelin20} constructor() { ${fill20("")} } }
  contract OpenZeppelin20U4 is Context { ${openZeppelin20} constructor() { ${fill20("")} } }
  ${namespaced("OpenZeppelin20U5", "openzeppelin.storage.ERC20", openZeppelin20, fill20("$."))}
  contract Solmate20 { string public name = "A token with a name of more than 32 bytes"; string public symbol = "TOK";
    uint8 public immutable decimals = 18; uint256 public totalSupply = 99;
    mapping(address => uint256) public balanceOf; mapping(address => mapping(address => uint256)) public allowance;
    constructor() { balanceOf[${ANNS}] = 7; balanceOf[${BOBS}] = 2**200; allowance[${ANNS}][${BOBS}] = 3; } }
  contract Weth9 { string public name = "A token with a name of more than 32 bytes"; string public symbol = "TOK";
    uint8 public decimals = 18;
    mapping(address => uint256) public balanceOf; mapping(address => mapping(address => uint256)) public allowance;
    constructor() { balanceOf[${ANNS}] = 7; balanceOf[${BOBS}] = 2**200; allowance[${ANNS}][${BOBS}] = 3; } }
  contract UniLike { string public constant name = "x"; uint public totalSupply = 99; address public minter = address(1);
    uint public mintingAllowedAfter = 2;
    mapping(address => mapping(address => uint96)) internal allowances; mapping(address => uint96) internal balances;
    constructor() { balances[${ANNS}] = 7; balances[${BOBS}] = type(uint96).max; allowances[${ANNS}][${BOBS}] = 3; } }
  contract OpenZeppelin721 { ${openZeppelin721} constructor() { ${fill721("")} } }
  contract OpenZeppelin721U4 is Erc165 { ${openZeppelin721} constructor() { ${fill721("")} } }
  ${namespaced("OpenZeppelin721U5", "openzeppelin.storage.ERC721", openZeppelin721, fill721("$."))}
  contract Solmate721 { string public name = "A collection"; string public symbol = "COL";
    mapping(uint256 => address) internal _ownerOf; mapping(address => uint256) internal _balanceOf;
    mapping(uint256 => address) public getApproved; mapping(address => mapping(address => bool)) public isApprovedForAll;
    constructor() { _ownerOf[5] = ${ANNS}; getApproved[5] = ${BOBS}; _balanceOf[${ANNS}] = 1; } }
`)

const start = (name: string) =>
  Effect.promise(async () => {
    const deployed = await Evm.deploy(contract(name))
    const node = await Node.make(deployed)
    return { node, address: Address.fromHexUnsafe(deployed.address) }
  })

/** Returns the answer without the block and the words. */
const readOf = (reading: ContractStorage.StorageReading<object>): object => {
  const { account: _, blockHash: __, blockNumber: ___, words: ____, ...read } = reading
  return read
}

describe("a token of ERC-20", () => {
  const tokens: ReadonlyArray<readonly [string, Erc20.KnownErc20]> = [
    ["OpenZeppelin20", Erc20.openZeppelin],
    ["OpenZeppelin20U4", Erc20.openZeppelinUpgradeable4],
    ["OpenZeppelin20U5", Erc20.openZeppelinUpgradeable5],
    ["Solmate20", Erc20.solmate],
    ["Weth9", Erc20.weth9],
    ["UniLike", Erc20.uni]
  ]
  it.effect("is not asked for accounts that are mistyped", () =>
    Effect.gen(function* () {
      const { address, node } = yield* start("Solmate20")
      const wrong = "0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
      const cases: ReadonlyArray<readonly [options: Erc20.Erc20Options, path: ReadonlyArray<string | number>]> = [
        [{ holders: [ANN, wrong] }, ["holders", 1]],
        [{ holders: ["0x12"] }, ["holders", 0]],
        [{ allowances: [[ANN, wrong]] }, ["allowances", 0, 1]]
      ]
      for (const [options, path] of cases) {
        const reading = Erc20.read(address, Erc20.solmate, { ...options, block: node.hash })
        const error = yield* Effect.flip(Effect.provide(reading, node.storage(TrustedBlock.layerNone())))
        assert(error._tag === "JsonRpcError" && error.reason._tag === "EncodeError")
        assert.deepStrictEqual(error.reason.path, path)
      }
      assert.lengthOf(node.calls, 0)
    })
  )
  for (const [name, known] of tokens) {
    it.effect(`is read on the layout of ${name}, proven, in two calls`, () =>
      Effect.gen(function* () {
        const { address, node } = yield* start(name)
        const options = { holders: [ANN, BOB, EVE], allowances: [[ANN, BOB]] as const, block: node.hash }
        const verdict = yield* Effect.provide(
          Erc20.read(address, known, options),
          node.storage(TrustedBlock.layerNone())
        )
        assert.strictEqual(verdict._tag, "VERIFIED")
        assert.deepStrictEqual(readOf(verdict.value), {
          name: name === "UniLike" ? undefined : "A token with a name of more than 32 bytes",
          symbol: name === "UniLike" ? undefined : "TOK",
          totalSupply: name === "Weth9" ? undefined : 99n,
          balances: [7n, name === "UniLike" ? 2n ** 96n - 1n : 2n ** 200n, 0n],
          allowances: [3n]
        })
        assert.isAtMost(node.calls.filter(({ method }) => method === "eth_getProof").length, 2)
      })
    )
  }

  it("has its variables where solc puts them", () => {
    for (const [name, known] of tokens) {
      const solc = Result.getOrThrow(Layout.fromSolcOutput(output, name))
      const paths = [known.name, known.symbol, known.totalSupply, known.balanceOf(ANN), known.allowance(ANN, BOB)]
      for (const path of paths.filter((path) => path !== undefined)) {
        const [ours, theirs] = [known.layout, solc].map((layout) => Result.getOrThrow(Location.locate(layout, path)))
        assert.deepStrictEqual([ours!.slot, ours!.offset, ours!.bytes], [theirs!.slot, theirs!.offset, theirs!.bytes])
      }
    }
  })
})

describe("a collection of ERC-721", () => {
  for (const [name, known] of [
    ["OpenZeppelin721", Erc721.openZeppelin],
    ["OpenZeppelin721U4", Erc721.openZeppelinUpgradeable4],
    ["OpenZeppelin721U5", Erc721.openZeppelinUpgradeable5],
    ["Solmate721", Erc721.solmate]
  ] as const) {
    it.effect(`is read on the layout of ${name}, proven, in one call`, () =>
      Effect.gen(function* () {
        const { address: at, node } = yield* start(name)
        const options = { tokens: [5n, 6n], holders: [ANN, BOB], block: node.hash }
        const verdict = yield* Effect.provide(Erc721.read(at, known, options), node.storage(TrustedBlock.layerNone()))
        assert.strictEqual(verdict._tag, "VERIFIED")
        const nobody = address(0)
        assert.deepStrictEqual(readOf(verdict.value), {
          name: "A collection",
          symbol: "COL",
          tokens: [
            { owner: ANN, approved: BOB },
            { owner: nobody, approved: nobody }
          ],
          balances: [1n, 0n]
        })
        assert.lengthOf(
          node.calls.filter(({ method }) => method === "eth_getProof"),
          1
        )
        const operator = Result.getOrThrow(Location.locate(known.layout, known.isApprovedForAll(ANN, BOB)))
        assert.strictEqual(operator.type.label, "bool")
      })
    )
  }
})

describe("OpenZeppelin's namespaces", () => {
  /** Slots as OpenZeppelin's sources state them. */
  const published: Readonly<Record<string, bigint>> = {
    Ownable: 0x9016d09d72d40fdae2fd8ceac6b6234c7706214fd39c1cd1e609a0528c199300n,
    Ownable2Step: 0x237e158222e3e6968b72b9db0d8043aacf074ad9f650f0d1606b4d82ee432c00n,
    AccessControl: 0x02dd7bc7dec4dceedda775e58dd541e08a116c6c53815c0bd028192f7b626800n,
    Pausable: 0xcd5ed15c6e187e77e9aee88184c21f4f2182ab5827cb3b7e07fbedcd63f03300n,
    Nonces: 0x5ab42ced628888259c08ac98db1eb0cf702fc1501344311d8b100cd1bfe4bb00n,
    EIP712: 0xa16a46d94261c7517cc8ff89f61c0ce93598e3c849801011dee649a6a557d100n,
    ERC20: 0x52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace00n,
    ERC20Capped: 0x0f070392f17d5f958cc1ac31867dabecfc5c9758b4a419a200803226d7155d00n,
    ERC4626: 0x0773e532dfede91f04b12a73d3d2acd361424f41f76b4fb79f090161e36b4e00n,
    ERC721: 0x80bb2b638cc20bc4d0a60d66940f3ab4a00c1d7b313497ca82fb0b4ab0079300n,
    ERC721Enumerable: 0x645e039705490088daad89bae25049a34f4a9072d398537b1ab2425f24cbed00n,
    ERC721URIStorage: 0x0542a41881ee128a365a727b282c86fa859579490b9bb45aab8503648c8e7900n,
    ERC1155: 0x88be536d5240c274a3b1d3a1be54482fd9caa294f08c62a7cde569f49a3c4500n,
    ERC1155Supply: 0x4a593662ee04d27b6a00ebb31be7fe0c102c2ade82a7c5d764f2df05dc4e2800n,
    ERC2981: 0xdaedc9ab023613a7caf35e703657e986ccfad7e3eb0af93a2853f8d65dd86b00n,
    AccessManaged: 0xf3177357ab46d8af007ab3fdb9af81da189e1068fefdc0073dca88a2cab40a00n,
    AccessControlDefaultAdminRules: 0xeef3dac4538c82c8ace4063ab0acd2d15cdb5883aa1dff7c2673abb3d8698400n,
    TimelockController: 0x9a37c2aa9d186a0969ff8a8267bf4e07e864c2f2768f5040949e28a624fb3600n,
    VestingWallet: 0xa1eac494560f7591e4da38ed031587f09556afdfc4399dd2e205b935fdfa3900n,
    Initializable: 0xf0c57e16840df040f15088dc2f81fe391c3923bec73e23a9662efc9c229c6a00n
  }

  it("are where its sources say", () => {
    const { namespaces } = Erc7201.openZeppelin
    assert.deepStrictEqual(
      Object.fromEntries(namespaces.map(({ id, slot }) => [id.replace("openzeppelin.storage.", ""), slot])),
      published
    )
    for (const { id, slot } of namespaces) {
      const inner = BigInt(keccak256(stringToHex(id))) - 1n
      assert.strictEqual(slot, BigInt(keccak256(toHex(inner, { size: 32 }))) & ~0xffn, id)
    }
  })

  /** Declarations as in the sources, except that an interface is written as an address. */
  const sources: Readonly<Record<string, string>> = {
    Initializable: "uint64 _initialized; bool _initializing;",
    Ownable: "address _owner;",
    Ownable2Step: "address _pendingOwner;",
    AccessControl: "mapping(bytes32 role => RoleData) _roles;",
    AccessControlDefaultAdminRules: `address _pendingDefaultAdmin; uint48 _pendingDefaultAdminSchedule; uint48 _currentDelay;
      address _currentDefaultAdmin; uint48 _pendingDelay; uint48 _pendingDelaySchedule;`,
    AccessManaged: "address _authority; bool _consumingSchedule;",
    Pausable: "bool _paused;",
    Nonces: "mapping(address account => uint256) _nonces;",
    EIP712: "bytes32 _hashedName; bytes32 _hashedVersion; string _name; string _version;",
    ERC20: `mapping(address account => uint256) _balances;
      mapping(address account => mapping(address spender => uint256)) _allowances; uint256 _totalSupply; string _name; string _symbol;`,
    ERC20Capped: "uint256 _cap;",
    ERC4626: "address _asset; uint8 _underlyingDecimals;",
    ERC721: `string _name; string _symbol; mapping(uint256 tokenId => address) _owners; mapping(address owner => uint256) _balances;
      mapping(uint256 tokenId => address) _tokenApprovals; mapping(address owner => mapping(address operator => bool)) _operatorApprovals;`,
    ERC721Enumerable: `mapping(address owner => mapping(uint256 index => uint256)) _ownedTokens;
      mapping(uint256 tokenId => uint256) _ownedTokensIndex; uint256[] _allTokens; mapping(uint256 tokenId => uint256) _allTokensIndex;`,
    ERC721URIStorage: "mapping(uint256 tokenId => string) _tokenURIs;",
    ERC1155: `mapping(uint256 id => mapping(address account => uint256)) _balances;
      mapping(address account => mapping(address operator => bool)) _operatorApprovals; string _uri;`,
    ERC1155Supply: "mapping(uint256 id => uint256) _totalSupply; uint256 _totalSupplyAll;",
    ERC2981: "RoyaltyInfo _defaultRoyaltyInfo; mapping(uint256 tokenId => RoyaltyInfo) _tokenRoyaltyInfo;",
    TimelockController: "mapping(bytes32 id => uint256) _timestamps; uint256 _minDelay;",
    VestingWallet:
      "uint256 _released; mapping(address token => uint256) _erc20Released; uint64 _start; uint64 _duration;"
  }

  it("have the members of its structs, where solc puts them", () => {
    const structs = Object.entries(sources).map(([name, members]) => `struct ${name}Storage { ${members} }`)
    const variables = Object.keys(sources).map((name) => `${name}Storage ${name};`)
    const { contract } = Solidity.compile(`
      struct RoleData { mapping(address account => bool) hasRole; bytes32 adminRole; }
      struct RoyaltyInfo { address receiver; uint96 royaltyFraction; }
      contract All { ${structs.join("\n")} ${variables.join("\n")} }`)
    const { storage, types: theirs } = contract("All").storageLayout
    const { namespaces, types } = Erc7201.openZeppelin
    assert.lengthOf(namespaces, storage.length)
    /** Returns the members, including the members of the structs that they refer to. */
    const ours = (id: string): unknown => {
      const type = types.get(id)!
      if (type._tag === "Mapping") return ours(type.value)
      return type._tag === "Struct"
        ? type.members.map(({ name, offset, slot, type }) => [name, String(slot), offset, ours(type)])
        : type.label
    }
    const solc = (id: string): unknown => {
      const { label, members, value } = theirs[id]
      if (value !== undefined) return solc(value)
      return members?.map(({ label, offset, slot, type }: any) => [label, slot, offset, solc(type)]) ?? label
    }
    for (const { label, type } of storage) {
      const found = namespaces.find(({ id }) => id === `openzeppelin.storage.${label}`)!
      assert.deepStrictEqual(ours(found.type), solc(type), label)
    }
  })
})
