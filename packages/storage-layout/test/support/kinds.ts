/**
 * A contract with filled variables of every kind. For each of many paths it has a function that returns the value that
 * Solidity itself reads there.
 */

/** A path, its type, and its Solidity expression if that differs from the path. */
export type Question = readonly [path: string, type: string, expression?: string]

const ALICE = "0x00000000219ab540356cBB839Cbe05303d7705Fa"
const BOB = "0x52908400098527886E0F7030069857D2E4169EE7"
const WORD = `0x${"a5".repeat(32)}`
const LONG = "a text that is clearly longer than thirty-two bytes, with ümläuts and 🚀"

const declarations = `
type Price is uint96;
type Tag is bytes3;
type Drift is int24;
type Flag is bool;
enum Color { Red, Green, Blue }
interface Thing { function f() external; }
library Lib { struct Inner { uint64 a; uint64 b; uint64 c; uint64 d; uint8 e; } }
struct Pair { uint8 x; uint256 y; uint8 z; string name; }
struct Packed { uint128 lo; uint64 mid; bool on; Color c; }
struct Nest { Packed p; uint8[3] tri; Lib.Inner inner; mapping(address => uint256) bal; Pair[] list; }
struct Tree { uint16 value; Tree[] kids; mapping(uint8 => Tree) named; }

abstract contract A { uint8 internal a1 = 0x11; uint16 internal a2 = 0x2222; }
abstract contract B is A {
  uint8 private shadow = 0xb1;
  function shadowB() public view returns (uint8) { return shadow; }
}
abstract contract C is A {
  uint8 private shadow = 0xc1;
  bool internal c2 = true;
  function shadowC() public view returns (uint8) { return shadow; }
}
`

const body = `
  uint256 public constant ANSWER = 42;
  uint256 public immutable FIXED = 43;
  bool flag = true; int8 i8 = -5; int16 i16 = -300; bytes4 b4 = 0xdeadbeef; bytes1 b1 = 0x7f;
  address payable owner = payable(${ALICE});
  Color color = Color.Blue; Price price = Price.wrap(123456789012345678901234567); Drift drift = Drift.wrap(-123456);
  Tag tag = Tag.wrap(0x414243); Flag marked = Flag.wrap(true); int128 i128 = type(int128).min;
  int256 i256 = -1; uint256 u256 = type(uint256).max - 7; bytes32 b32 = ${WORD}; bytes31 b31 = bytes31(bytes32(${WORD}));
  uint40 u40 = type(uint40).max; int40 i40 = type(int40).min;
  Thing thing = Thing(${BOB});
  function (uint256) internal returns (uint256) inside;
  function (uint256) external returns (uint256) outside;
  uint8 afterFunctions = 7;
  Pair pair = Pair(1, 2, 3, "in a struct");
  uint8 afterStruct = 8;
  Packed packed = Packed(type(uint128).max, 77, true, Color.Green);
  Nest nest;
  Tree tree;
  uint24[13] fixed24; uint8[3][2] grid = [[1, 2, 3], [4, 5, 6]]; Packed[2] fixedStructs; bytes17[3] fixed17;
  uint16[] dyn16; bytes7[] dynB7; int40[] dynI40; bool[] dynBool; address[] dynAddress; Color[] dynColor;
  uint128[3][] dynFixed; uint8[][2] fixedDyn; uint32[][] dynDyn; string[] strings; bytes[] blobs; Packed[] dynPacked;
  Price[] prices; uint256[] none;
  string empty; string short = "hi"; string s31 = "0123456789012345678901234567890";
  string s32 = "01234567890123456789012345678901"; string long = unicode"${LONG}";
  bytes blob5 = hex"0102030405"; bytes blob64 = abi.encode(uint256(1), uint256(2)); bytes zeros = new bytes(40);
  mapping(string => uint256) byString; mapping(bytes => uint256) byBytes; mapping(address => uint256) byAddress;
  mapping(uint8 => uint256) byU8; mapping(uint256 => uint256) byU256; mapping(int16 => uint256) byI16;
  mapping(int256 => uint256) byI256; mapping(bool => uint256) byBool; mapping(Color => uint256) byColor;
  mapping(bytes32 => uint256) byB32; mapping(bytes4 => uint256) byB4; mapping(Price => Color) byPrice;
  mapping(Drift => uint8) byDrift; mapping(Tag => uint8) byTag; mapping(Flag => uint8) byFlag;
  mapping(Thing => bool) byThing;
  mapping(address => mapping(uint256 => mapping(string => Packed))) nested;
  mapping(address => Pair[]) pairs; mapping(uint256 => Nest) nests; mapping(uint256 => string) texts;
  mapping(address user => uint16[] scores) scores; mapping(uint8 => uint8)[2] maps; mapping(uint8 => uint8)[] moreMaps;
  uint8 last = 99;

  /// @custom:storage-location erc7201:kinds.main
  struct Main { uint8 x; mapping(address => uint256) m; uint8 y; bool z; Packed[2] packed; string name; Color color; Price price; Main[] more; }
  function main() private pure returns (Main storage $) {
    bytes32 slot = keccak256(abi.encode(uint256(keccak256("kinds.main")) - 1)) & ~bytes32(uint256(0xff));
    assembly { $.slot := slot }
  }
  function twice(uint256 v) internal pure returns (uint256) { return v * 2; }
  function ext(uint256 v) external pure returns (uint256) { return v * 2; }
  function grow(Tree storage at, uint16 depth) private {
    at.value = depth;
    if (depth > 0) { at.kids.push(); at.kids.push(); grow(at.kids[1], depth - 1); grow(at.named[uint8(depth)], 0); }
  }

  function fill1() external {
    inside = twice; outside = this.ext;
    nest.p = Packed(1, 2, true, Color.Blue); nest.tri = [4, 5, 6]; nest.inner = Lib.Inner(11, 12, 13, 14, 15);
    nest.bal[${ALICE}] = 999; nest.list.push(Pair(21, 22, 23, "listed")); nest.list.push(Pair(31, 32, 33, unicode"${LONG}"));
    grow(tree, 3);
    for (uint24 i = 0; i < 13; i++) fixed24[i] = 0x10000 + i;
    fixedStructs[0] = Packed(5, 6, false, Color.Red); fixedStructs[1] = Packed(7, 8, true, Color.Blue);
    for (uint136 i = 0; i < 3; i++) fixed17[i] = bytes17(type(uint136).max - i);
    for (uint16 i = 0; i < 20; i++) dyn16.push(0x8000 + i);
    for (uint56 i = 0; i < 6; i++) dynB7.push(bytes7(0x61626364656600 + i));
    for (int40 i = 0; i < 8; i++) dynI40.push(-1 - i);
    for (uint i = 0; i < 35; i++) dynBool.push(i % 3 == 0);
    for (uint i = 0; i < 35; i++) dynColor.push(Color(i % 3));
    dynAddress.push(${ALICE}); dynAddress.push(${BOB});
    dynFixed.push([uint128(1), 2, 3]); dynFixed.push([uint128(4), 5, 6]);
    for (uint8 i = 0; i < 40; i++) fixedDyn[1].push(i);
    fixedDyn[0].push(200);
    dynDyn.push(); dynDyn.push(); for (uint32 i = 0; i < 10; i++) dynDyn[1].push(i + 1000);
  }
  function fill2() external {
    strings.push("a"); strings.push(unicode"${LONG}"); strings.push(""); blobs.push(hex"00ff"); blobs.push(new bytes(70));
    dynPacked.push(Packed(100, 101, true, Color.Green)); dynPacked.push(Packed(200, 201, false, Color.Blue));
    prices.push(Price.wrap(1)); prices.push(Price.wrap(2)); prices.push(Price.wrap(3));
    byString["bob"] = 1; byString[unicode"${LONG}"] = 2; byString["quote \\" and \\\\"] = 3; byBytes[hex"deadbeef"] = 4;
    byAddress[${ALICE}] = 5; byU8[200] = 6; byU256[type(uint256).max] = 7; byI16[-2] = 8; byI256[type(int256).min] = 9;
    byBool[true] = 10; byBool[false] = 11; byColor[Color.Blue] = 12; byB32[${WORD}] = 13; byB4[0x12345678] = 14;
    byPrice[Price.wrap(5)] = Color.Green; byDrift[Drift.wrap(-5)] = 15; byTag[Tag.wrap(0x585960)] = 16;
    byFlag[Flag.wrap(true)] = 17; byThing[Thing(${BOB})] = true;
    nested[${ALICE}][7]["deep"] = Packed(1234, 56, true, Color.Blue);
    pairs[${BOB}].push(Pair(1, 2, 3, "x")); pairs[${BOB}].push(Pair(4, 5, 6, "y"));
    Nest storage n = nests[9]; n.p.lo = 1; n.tri[2] = 66; n.inner.e = 5; n.bal[${BOB}] = 321; n.list.push(Pair(9, 8, 7, "nn"));
    texts[1] = "short"; texts[2] = unicode"${LONG}";
    for (uint16 i = 0; i < 17; i++) scores[${ALICE}].push(i * 3);
    maps[1][4] = 44; moreMaps.push(); moreMaps.push(); moreMaps[1][5] = 45;
    Main storage $ = main(); $.x = 5; $.m[${BOB}] = 6; $.y = 7; $.z = true; $.packed[1].mid = 8; $.name = "named";
    $.color = Color.Green; $.price = Price.wrap(9); $.more.push(); $.more[0].y = 10;
  }
  function shrink() external { delete dyn16; delete long; delete strings; delete flag; dynBool.pop(); }
`

/** The paths. The tests read each of them by path and by a function of the contract. */
export const questions: ReadonlyArray<Question> = [
  ["a1", "uint8"],
  ["a2", "uint16"],
  ["c2", "bool"],
  ["B.shadow", "uint8", "shadowB()"],
  ["C.shadow", "uint8", "shadowC()"],
  ["A.a2", "uint16", "a2"],
  ["flag", "bool"],
  ["i8", "int8"],
  ["i16", "int16"],
  ["b4", "bytes4"],
  ["b1", "bytes1"],
  ["owner", "address"],
  ["color", "Color"],
  ["price", "Price"],
  ["drift", "Drift"],
  ["tag", "Tag"],
  ["marked", "Flag"],
  ["i128", "int128"],
  ["i256", "int256"],
  ["u256", "uint256"],
  ["b32", "bytes32"],
  ["b31", "bytes31"],
  ["u40", "uint40"],
  ["i40", "int40"],
  ["thing", "Thing"],
  ["afterFunctions", "uint8"],
  ["pair", "Pair memory"],
  ["pair.name", "string memory"],
  ["pair.name.length", "uint256", "bytes(pair.name).length"],
  ["pair.z", "uint8"],
  ["afterStruct", "uint8"],
  ["packed", "Packed memory"],
  ["packed.mid", "uint64"],
  ["packed.c", "Color"],
  ["nest.p", "Packed memory"],
  ["nest.tri", "uint8[3] memory"],
  ["nest.tri[2]", "uint8"],
  ["nest.inner", "Lib.Inner memory"],
  ["nest.inner.e", "uint8"],
  [`nest.bal[${ALICE}]`, "uint256"],
  ["nest.list", "Pair[] memory"],
  ["nest.list[1].name", "string memory"],
  ["nest.list.length", "uint256"],
  ["tree.value", "uint16"],
  ["tree.kids.length", "uint256"],
  ["tree.kids[1].kids[1].kids[1].value", "uint16"],
  ["tree.kids[1].value", "uint16"],
  ["tree.kids[1].kids[0].kids.length", "uint256"],
  ["tree.named[3].value", "uint16"],
  ["fixed24", "uint24[13] memory"],
  ["fixed24[9]", "uint24"],
  ["fixed24[10]", "uint24"],
  ["fixed17", "bytes17[3] memory"],
  ["grid", "uint8[3][2] memory"],
  ["grid[1]", "uint8[3] memory"],
  ["grid[1][2]", "uint8"],
  ["fixedStructs", "Packed[2] memory"],
  ["dyn16", "uint16[] memory"],
  ["dyn16[17]", "uint16"],
  ["dyn16.length", "uint256"],
  ["dynB7", "bytes7[] memory"],
  ["dynI40", "int40[] memory"],
  ["dynBool", "bool[] memory"],
  ["dynColor", "Color[] memory"],
  ["dynAddress", "address[] memory"],
  ["dynFixed", "uint128[3][] memory"],
  ["dynFixed[1][2]", "uint128"],
  ["fixedDyn", "uint8[][2] memory"],
  ["fixedDyn[1][33]", "uint8"],
  ["dynDyn", "uint32[][] memory"],
  ["dynDyn[1][9]", "uint32"],
  ["strings", "string[] memory"],
  ["strings[1]", "string memory"],
  ["blobs", "bytes[] memory"],
  ["dynPacked", "Packed[] memory"],
  ["dynPacked[1].c", "Color"],
  ["prices", "Price[] memory"],
  ["none", "uint256[] memory"],
  ["empty", "string memory"],
  ["short", "string memory"],
  ["s31", "string memory"],
  ["s31.length", "uint256", "bytes(s31).length"],
  ["s32", "string memory"],
  ["s32.length", "uint256", "bytes(s32).length"],
  ["long", "string memory"],
  ["long.length", "uint256", "bytes(long).length"],
  ["blob5", "bytes memory"],
  ["blob64", "bytes memory"],
  ["zeros", "bytes memory"],
  ["zeros.length", "uint256"],
  [`byString["bob"]`, "uint256"],
  [`byString["${LONG}"]`, "uint256", `byString[unicode"${LONG}"]`],
  [`byString["quote \\" and \\\\"]`, "uint256"],
  [`byString["nobody"]`, "uint256"],
  ["byBytes[0xdeadbeef]", "uint256", `byBytes[hex"deadbeef"]`],
  [`byAddress[${ALICE}]`, "uint256"],
  ["byU8[200]", "uint256"],
  ["byU8[0xc8]", "uint256"],
  [`byU256[${2n ** 256n - 1n}]`, "uint256"],
  ["byI16[-2]", "uint256"],
  [`byI256[${-(2n ** 255n)}]`, "uint256", "byI256[type(int256).min]"],
  ["byBool[true]", "uint256"],
  ["byBool[false]", "uint256"],
  ["byColor[Blue]", "uint256", "byColor[Color.Blue]"],
  ["byColor[2]", "uint256", "byColor[Color(2)]"],
  [`byB32[${WORD}]`, "uint256"],
  ["byB4[0x12345678]", "uint256"],
  ["byPrice[5]", "Color", "byPrice[Price.wrap(5)]"],
  ["byDrift[-5]", "uint8", "byDrift[Drift.wrap(-5)]"],
  ["byTag[0x585960]", "uint8", "byTag[Tag.wrap(0x585960)]"],
  ["byFlag[true]", "uint8", "byFlag[Flag.wrap(true)]"],
  [`byThing[${BOB}]`, "bool", `byThing[Thing(${BOB})]`],
  [`nested[${ALICE}][7]["deep"]`, "Packed memory"],
  [`nested[${ALICE}][7]["deep"].mid`, "uint64"],
  [`pairs[${BOB}]`, "Pair[] memory"],
  [`pairs[${BOB}][1].name`, "string memory"],
  [`pairs[${BOB}].length`, "uint256"],
  ["nests[9].inner.e", "uint8"],
  ["nests[9].tri[2]", "uint8"],
  [`nests[9].bal[${BOB}]`, "uint256"],
  ["nests[9].list", "Pair[] memory"],
  ["texts[1]", "string memory"],
  ["texts[2]", "string memory"],
  ["texts[3]", "string memory"],
  [`scores[${ALICE}]`, "uint16[] memory"],
  [`scores[${ALICE}][16]`, "uint16"],
  ["maps[1][4]", "uint8"],
  ["moreMaps[1][5]", "uint8"],
  ["last", "uint8"],
  [`erc7201("kinds.main").x`, "uint8", "main().x"],
  [`erc7201("kinds.main").m[${BOB}]`, "uint256", `main().m[${BOB}]`],
  [`erc7201("kinds.main").y`, "uint8", "main().y"],
  [`erc7201("kinds.main").z`, "bool", "main().z"],
  [`erc7201("kinds.main").packed`, "Packed[2] memory", "main().packed"],
  [`erc7201("kinds.main").name`, "string memory", "main().name"],
  [`erc7201("kinds.main").color`, "Color", "main().color"],
  [`erc7201("kinds.main").price`, "Price", "main().price"],
  [`erc7201("kinds.main").more[0].y`, "uint8", "main().more[0].y"]
]

export const paths: ReadonlyArray<string> = questions.map(([path]) => path)

/** Returns the contract's source. `base` is the first slot of its storage (`layout at`). */
export const source = (base: string): string => `
${declarations}
contract Kinds is B, C layout at ${base} {
${body}
${questions
  .map(
    ([path, type, expression = path], i) => `function q${i}() external view returns (${type}) { return ${expression}; }`
  )
  .join("\n")}
}`
