// SPDX-License-Identifier: MIT
pragma solidity ^0.8.29;

/// Functions, errors and events of each form.
contract Subject {
  struct Point { uint8 x; int64 y; }
  struct Line { Point from; Point[] more; string name; }
  enum Colour { Red, Green }

  error Plain();
  error Insufficient(address owner, uint256 balance, uint256 needed);
  error Nested(Point at, string[] words);

  event Moved(address indexed by, Point to, string note);
  event Named(string indexed name, bytes indexed raw, uint8[] indexed numbers, bool done);
  event Mixed(uint256 first, address indexed, bytes4 third);
  event Bare();
  event Quiet(uint256 value) anonymous;

  uint256 public counter;
  mapping(address => uint256) public balanceOf;

  function nothing() external pure {}
  function one() external pure returns (uint256) { return 2 ** 255 + 1; }
  function several() external view returns (uint8 small, int128 large, address self, bool, bytes3 fixedBytes) {
    return (255, -(2 ** 127), address(this), true, 0x010203);
  }
  function texts(string calldata a, bytes calldata b) external pure returns (string memory, bytes memory) {
    return (a, b);
  }
  function line(Line calldata given) external pure returns (Line memory) { return given; }
  function unnamed() external pure returns (Colour, uint16[2][] memory) {
    uint16[2][] memory all = new uint16[2][](2);
    all[1] = [uint16(3), 4];
    return (Colour.Green, all);
  }
  function over(uint256 a) external pure returns (uint256) { return a; }
  function over(bool a) external pure returns (bool) { return !a; }
  function over(address a, string calldata b) external pure returns (string memory, address) { return (b, a); }
  function near(uint8) external pure returns (uint8) { return 8; }
  function near(uint16) external pure returns (uint16) { return 16; }
  function sender() external payable returns (address, uint256) { return (msg.sender, msg.value); }
  function blockNumber() external view returns (uint256) { return block.number; }

  function plain() external pure returns (uint256) { revert Plain(); }
  function insufficient(address owner) external pure returns (bool) { revert Insufficient(owner, 1, 2); }
  function nested() external pure { string[] memory words = new string[](1); words[0] = "w"; revert Nested(Point(1, -2), words); }
  function text() external pure { revert("a reason"); }
  function silent() external pure { revert(); }
  function panic(uint256 at) external pure returns (uint256) { uint256[] memory none; return none[at]; }
  function foreign() external pure { assembly { mstore(0, shl(224, 0xdeadbeef)) revert(0, 4) } }
  function endless() external pure { while (true) {} }

  function dirty() external pure returns (uint8) { assembly { mstore(0, 300) return(0, 32) } }
  function short() external pure returns (uint256) { assembly { return(0, 31) } }
  function broken() external pure returns (string memory) {
    assembly { mstore(0, 32) mstore(32, 1) mstore(64, shl(248, 0xff)) return(0, 96) }
  }
  function long() external pure returns (uint256) { assembly { mstore(0, 7) mstore(32, 8) return(0, 64) } }

  function emitAll(address other) external {
    counter++;
    emit Moved(msg.sender, Point(1, -1), "note");
    uint8[] memory numbers = new uint8[](1);
    emit Named("name", hex"0102", numbers, true);
    emit Mixed(1, other, 0x01020304);
    emit Bare();
    emit Quiet(5);
  }
}

/// A contract whose `Transfer` events are those of ERC-20 and of ERC-721, and one of neither form.
contract Token {
  mapping(address => uint256) public balanceOf;
  event Transfer(address indexed from, address indexed to, uint256 value);
  bytes32 constant TRANSFER = keccak256("Transfer(address,address,uint256)");

  function decimals() external pure returns (uint8) { return 18; }
  function symbol() external pure returns (bytes32) { return "MKR"; }
  function name() external pure returns (string memory) { return "Maker"; }
  function mint(address to, uint256 value) external {
    balanceOf[to] += value;
    emit Transfer(address(0), to, value);
    bytes32 topic = TRANSFER;
    assembly {
      log4(0, 0, topic, 0, to, value)
      mstore(0, value)
      log3(0, 31, topic, 0, to)
    }
  }
  function ownerOf(uint256 id) external pure returns (address) { return address(uint160(id)); }
  function tokenURI(uint256) external pure returns (string memory) { return "ipfs://one"; }
  function uri(uint256) external pure returns (string memory) { return "ipfs://{id}.json"; }
  function balanceOfBatch(address[] calldata accounts, uint256[] calldata ids) external view returns (uint256[] memory all) {
    all = new uint256[](accounts.length);
    for (uint256 i; i < accounts.length; i++) all[i] = balanceOf[accounts[i]] + ids[i];
  }
}
