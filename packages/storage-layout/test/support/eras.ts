/**
 * A contract for compilers of all eras, from the first one that writes layouts. It has filled variables of every kind
 * and, for each of many paths, a function that returns the value that Solidity reads there.
 */

import type { Question } from "./kinds.ts"
import type { Compiler } from "./solidity.ts"

/** A compiler, and the peculiarities of its language. */
export interface Era {
  readonly solc: Compiler
  /** True before 0.6: an array grows by setting its length, and neither contracts nor enums can be keys of mappings. */
  readonly isOldest: boolean
  /**
   * True before 0.8: the ABI of structs must be enabled, every address is payable, and there are no user-defined value
   * types.
   */
  readonly isOld: boolean
}

export const eras: ReadonlyArray<Era> = [
  { solc: "solc-0.5.13", isOldest: true, isOld: true },
  { solc: "solc-0.6.12", isOldest: false, isOld: true },
  { solc: "solc-0.8.20", isOldest: false, isOld: false },
  { solc: "solc", isOldest: false, isOld: false }
]

const CAROL = "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb"
const DAVE = "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB"
const WORD = `0x${"0123456789abcdef".repeat(4)}`
const LONG = "a sentence of plain text which is so long that two words cannot hold it."

/** The paths that every compiler supports. */
const common: ReadonlyArray<Question> = [
  ["first", "uint8"],
  ["second", "uint16"],
  ["Left.twin", "bytes3", "leftTwin()"],
  ["Right.twin", "bytes5", "rightTwin()"],
  ["truth", "bool"],
  ["tiny", "int8"],
  ["middle", "int72"],
  ["deep", "int256"],
  ["high", "uint256"],
  ["half", "uint128"],
  ["mark", "bytes4"],
  ["almost", "bytes31"],
  ["word", "bytes32"],
  ["payee", "address"],
  ["peer", "Peer"],
  ["mood", "Mood"],
  ["behind", "uint8"],
  ["title", "string memory"],
  ["title.length", "uint256", "bytes(title).length"],
  ["edge", "string memory"],
  ["beyond", "string memory"],
  ["beyond.length", "uint256", "bytes(beyond).length"],
  ["story", "string memory"],
  ["nothing", "string memory"],
  ["blob", "bytes memory"],
  ["raw", "bytes memory"],
  ["raw.length", "uint256"],
  ["spot", "Spot memory"],
  ["spot.at", "address"],
  ["spot.on", "bool"],
  ["spot.note", "string memory"],
  ["spot.inner", "Shelf.Box memory"],
  ["spot.inner.e", "uint8"],
  ["after_", "uint8"],
  ["fixed3", "uint24[11] memory"],
  ["fixed3[10]", "uint24"],
  ["wide", "uint136[3] memory"],
  ["table", "uint8[4][3] memory"],
  ["table[2][3]", "uint8"],
  ["spots", "Spot[2] memory"],
  ["spots[1].inner.c", "uint64"],
  ["list", "uint40[] memory"],
  ["list[7]", "uint40"],
  ["list.length", "uint256"],
  ["signs", "int24[] memory"],
  ["moods", "Mood[] memory"],
  ["flags", "bool[] memory"],
  ["flags[32]", "bool"],
  ["people", "address[] memory"],
  ["tags", "bytes9[] memory"],
  ["rows", "uint32[][] memory"],
  ["rows[1][8]", "uint32"],
  ["pairs", "uint128[3][] memory"],
  ["columns", "uint16[][3] memory"],
  ["columns[2][16]", "uint16"],
  ["words", "string[] memory"],
  ["words[1]", "string memory"],
  ["blobs", "bytes[] memory"],
  ["places", "Spot[] memory"],
  ["places[0].note", "string memory"],
  ["places[1].inner.e", "uint8"],
  ["places.length", "uint256"],
  ["count", "uint256"],
  [`byName["carol"]`, "uint256"],
  [`byName["${LONG}"]`, "uint256"],
  [`byName["stranger"]`, "uint256"],
  ["byRaw[0x00ff00]", "uint256", `byRaw[hex"00ff00"]`],
  [`byPerson[${CAROL}]`, "uint256"],
  ["byTruth[true]", "uint8"],
  ["bySmall[255]", "uint256"],
  ["bySign[-7]", "uint256"],
  [`bySign[${-(2n ** 63n)}]`, "uint256"],
  ["byMark[0xcafebabe]", "uint256", "byMark[bytes4(0xcafebabe)]"],
  [`byWord[${WORD}]`, "uint256"],
  [`grants[${CAROL}][${DAVE}]`, "uint256"],
  [`deepest[3][${CAROL}]["x"]`, "Spot memory"],
  [`deepest[3][${CAROL}]["x"].note`, "string memory"],
  ["letters[5]", "string memory"],
  [`scores[${DAVE}]`, "uint16[] memory"],
  [`scores[${DAVE}][18]`, "uint16"],
  ["shelves[4].books[1]", "uint96"],
  [`shelves[4].lent[${CAROL}]`, "bool"],
  ["shelves[4].size", "uint16"],
  ["shelves[4].more[1].size", "uint16"],
  ["maps[1][6]", "uint64"],
  ["manyMaps[1][7]", "uint64"],
  ["end", "uint8"]
]

/** Returns the questions about certain mappings. From 0.6 on, the keys of these mappings are contracts and enums. */
const ofKeys = (isOldest: boolean): ReadonlyArray<Question> =>
  isOldest
    ? [
        [`byPeer[${DAVE}]`, "uint256"],
        ["byMood[2]", "int8"]
      ]
    : [
        [`byPeer[${DAVE}]`, "uint256", `byPeer[Peer(${DAVE})]`],
        ["byMood[Grim]", "int8", "byMood[Mood.Grim]"],
        ["byMood[1]", "int8", "byMood[Mood(1)]"]
      ]

const ofValueTypes: ReadonlyArray<Question> = [
  ["cost", "Cost"],
  ["shift", "Shift"],
  ["costs", "Cost[] memory"],
  ["byCost[9]", "Shift", "byCost[Cost.wrap(9)]"],
  ["byShift[-9]", "Cost", "byShift[Shift.wrap(-9)]"],
  ["byLabel[0x6162]", "uint8", "byLabel[Label.wrap(0x6162)]"]
]

export const questions = ({ isOld, isOldest }: Era): ReadonlyArray<Question> => [
  ...common,
  ...ofKeys(isOldest),
  ...(isOld ? [] : ofValueTypes)
]

/** Returns the source with all reading functions. */
export const source = (era: Era): string => make(era, questions(era))

/** Returns the source without the reading functions, which take a long time to compile via IR. */
export const fills = (era: Era): string => make(era, [])

const make = (era: Era, asked: ReadonlyArray<Question>): string => {
  const { isOld, isOldest } = era
  const grow = (array: string) => (isOldest ? `${array}.length++;` : `${array}.push();`)
  return `
${isOld ? "pragma experimental ABIEncoderV2;" : ""}
interface Peer { function greet() external; }
library Shelf { struct Box { uint64 a; uint64 b; uint64 c; uint64 d; uint8 e; } }
${isOld ? "" : "type Cost is uint72; type Shift is int40; type Label is bytes2;"}

contract Root { uint8 internal first = 0x0f; uint16 internal second = 0xf00f; }
contract Left is Root {
  bytes3 private twin = 0x1a2b3c;
  function leftTwin() public view returns (bytes3) { return twin; }
}
contract Right is Root {
  bytes5 private twin = 0x0102030405;
  function rightTwin() public view returns (bytes5) { return twin; }
}

contract Eras is Left, Right {
  enum Mood { Glad, Calm, Grim, Gone }
  struct Spot { address at; bool on; uint80 weight; string note; Shelf.Box inner; Mood mood; }
  struct Case { uint16 size; uint96[] books; mapping(address => bool) lent; Case[] more; }

  bool truth = true; int8 tiny = -128; int72 middle = -2361183241434822606848; int256 deep = -1; uint256 high = uint256(-1 + 2**256);
  uint128 half = 2**128 - 1; bytes4 mark = 0xcafebabe; bytes31 almost = bytes31(bytes32(${WORD})); bytes32 word = ${WORD};
  address payable payee = ${isOld ? CAROL : `payable(${CAROL})`}; Peer peer = Peer(${DAVE}); Mood mood = Mood.Grim; uint8 behind = 200;
  function (uint8) internal pure returns (uint8) inside; function (uint8) external returns (uint8) outside;
  string title = "short"; string edge = "thirty-one characters, not more"; string beyond = "thirty-two characters, of a word";
  string story = "${LONG}"; string nothing; bytes blob = hex"00010203"; bytes raw;
  Spot spot; uint8 after_ = 3;
  uint24[11] fixed3; uint136[3] wide; uint8[4][3] table; Spot[2] spots;
  uint40[] list; int24[] signs; Mood[] moods; bool[] flags; address[] people; bytes9[] tags; uint32[][] rows; uint128[3][] pairs;
  uint16[][3] columns; string[] words; bytes[] blobs; Spot[] places; uint256 count = 12345678901234567890;
  mapping(string => uint256) byName; mapping(bytes => uint256) byRaw; mapping(address => uint256) byPerson;
  mapping(address => mapping(address => uint256)) grants; mapping(bool => uint8) byTruth; mapping(uint8 => uint256) bySmall;
  mapping(int64 => uint256) bySign; mapping(bytes4 => uint256) byMark; mapping(bytes32 => uint256) byWord;
  mapping(uint8 => mapping(address => mapping(string => Spot))) deepest; mapping(uint256 => string) letters; mapping(address => uint16[]) scores;
  mapping(uint256 => Case) shelves; mapping(uint8 => uint64)[2] maps; mapping(uint8 => uint64)[] manyMaps;
  ${isOldest ? "mapping(address => uint256) byPeer; mapping(uint8 => int8) byMood;" : "mapping(Peer => uint256) byPeer; mapping(Mood => int8) byMood;"}
  uint8 end = 255;
  ${
    isOld
      ? ""
      : "Cost cost = Cost.wrap(2**72 - 1); Shift shift = Shift.wrap(-5); Cost[] costs; mapping(Cost => Shift) byCost; mapping(Shift => Cost) byShift; mapping(Label => uint8) byLabel;"
  }

  function twice(uint8 v) internal pure returns (uint8) { return v * 2; }
  function call(uint8 v) external returns (uint8) { return v; }
  function set(Spot storage s, uint64 n, string memory note) private {
    s.at = ${DAVE}; s.on = n % 2 == 1; s.weight = 10**20 + n; s.note = note; s.mood = Mood.Calm;
    s.inner = Shelf.Box(n, n + 1, n + 2, n + 3, uint8(n + 4));
  }
  function fill1() external {
    inside = twice; outside = this.call; raw = abi.encode(uint256(7), ${CAROL}, "${LONG}");
    set(spot, 1, "${LONG}"); set(spots[0], 2, "two"); set(spots[1], 3, "");
    for (uint24 i = 0; i < 11; i++) fixed3[i] = 0xff0000 + i;
    for (uint8 i = 0; i < 12; i++) table[i / 4][i % 4] = i * 21;
    for (uint8 i = 0; i < 3; i++) wide[i] = uint136(2**136 - 1 - uint256(i));
    for (uint40 i = 0; i < 9; i++) list.push(2**39 + i);
    for (int24 i = 0; i < 12; i++) signs.push(i * (i % 2 == 0 ? -1000 : int24(1000)));
    for (uint256 i = 0; i < 35; i++) { moods.push(Mood(i % 4)); flags.push(i % 3 == 2); }
    people.push(${CAROL}); people.push(${DAVE}); tags.push("nine byte"); tags.push(0x010203040506070809); tags.push("x"); tags.push("y");
  }
  function fill2() external {
    ${grow("rows")} ${grow("rows")} for (uint32 i = 0; i < 9; i++) rows[1].push(0xfffffff0 + i);
    pairs.push([uint128(1), 2, 3]); pairs.push([uint128(2**128 - 1), 5, 6]);
    for (uint16 i = 0; i < 17; i++) columns[2].push(i + 1000);
    columns[0].push(1);
    words.push("one"); words.push("${LONG}"); words.push(""); blobs.push(hex"ff"); blobs.push(new bytes(64));
    ${grow("places")} set(places[0], 10, "${LONG}"); ${grow("places")} set(places[1], 11, "eleven");
    byName["carol"] = 1; byName["${LONG}"] = 2; byRaw[hex"00ff00"] = 3; byPerson[${CAROL}] = 4; grants[${CAROL}][${DAVE}] = 5;
    byTruth[true] = 6; bySmall[255] = 7; bySign[-7] = 8; bySign[-9223372036854775808] = 9; byMark[0xcafebabe] = 10; byWord[${WORD}] = 11;
    set(deepest[3][${CAROL}]["x"], 77, "${LONG}"); letters[5] = "${LONG}${LONG}";
    for (uint16 i = 0; i < 19; i++) scores[${DAVE}].push(i * 3);
    Case storage c = shelves[4]; c.size = 44; c.books.push(1); c.books.push(2**96 - 1); c.lent[${CAROL}] = true;
    ${grow("c.more")} ${grow("c.more")} c.more[1].size = 45;
    maps[1][6] = 66; ${grow("manyMaps")} ${grow("manyMaps")} manyMaps[1][7] = 67;
    ${
      isOldest
        ? `byPeer[${DAVE}] = 12; byMood[2] = -1; byMood[1] = -2;`
        : `byPeer[Peer(${DAVE})] = 12; byMood[Mood.Grim] = -1; byMood[Mood.Calm] = -2;`
    }
    ${
      isOld
        ? ""
        : "costs.push(Cost.wrap(1)); costs.push(Cost.wrap(2)); byCost[Cost.wrap(9)] = Shift.wrap(-1); byShift[Shift.wrap(-9)] = Cost.wrap(8); byLabel[Label.wrap(0x6162)] = 7;"
    }
  }
${asked
  .map(
    ([path, type, expression = path], i) => `function q${i}() external view returns (${type}) { return ${expression}; }`
  )
  .join("\n")}
}`
}
