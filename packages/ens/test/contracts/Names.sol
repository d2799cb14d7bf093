// SPDX-License-Identifier: Apache-2.0 OR MIT
pragma solidity ^0.8.29;

/// Contracts with the published interfaces of ENS, for tests. Anyone may write to them.

/// A registry. What it does not have, it asks of an older one.
contract Registry {
  struct Record {
    address owner;
    address resolver;
    uint64 ttl;
  }

  mapping(bytes32 => Record) records;
  mapping(address => mapping(address => bool)) operators;
  Registry public old;

  constructor(Registry older) {
    old = older;
  }

  function set(bytes32 node, address owner_, address resolver_) external {
    records[node] = Record(owner_, resolver_, 3600);
  }

  function owner(bytes32 node) external view returns (address) {
    return hasNot(node) ? old.owner(node) : records[node].owner;
  }

  function resolver(bytes32 node) external view returns (address) {
    return hasNot(node) ? old.resolver(node) : records[node].resolver;
  }

  function ttl(bytes32 node) external view returns (uint64) {
    return hasNot(node) ? old.ttl(node) : records[node].ttl;
  }

  function recordExists(bytes32 node) external view returns (bool) {
    return records[node].owner != address(0);
  }

  function hasNot(bytes32 node) internal view returns (bool) {
    return records[node].owner == address(0) && address(old) != address(0);
  }
}

/// A resolver with all usual records, and versions of them.
contract RecordResolver {
  mapping(bytes32 => uint64) public recordVersions;
  mapping(uint64 => mapping(bytes32 => mapping(uint256 => bytes))) addresses;
  mapping(uint64 => mapping(bytes32 => bytes)) hashes;
  mapping(uint64 => mapping(bytes32 => string)) names;
  mapping(uint64 => mapping(bytes32 => mapping(string => string))) texts;

  function clear(bytes32 node) external {
    recordVersions[node]++;
  }

  function setAddr(bytes32 node, uint256 coinType, bytes calldata value) external {
    addresses[recordVersions[node]][node][coinType] = value;
  }

  function setContenthash(bytes32 node, bytes calldata value) external {
    hashes[recordVersions[node]][node] = value;
  }

  function setName(bytes32 node, string calldata value) external {
    names[recordVersions[node]][node] = value;
  }

  function setText(bytes32 node, string calldata key, string calldata value) external {
    texts[recordVersions[node]][node][key] = value;
  }

  function addr(bytes32 node) external view returns (address) {
    bytes memory value = addr(node, 60);
    return value.length == 20 ? address(bytes20(value)) : address(0);
  }

  function addr(bytes32 node, uint256 coinType) public view returns (bytes memory) {
    return addresses[recordVersions[node]][node][coinType];
  }

  function contenthash(bytes32 node) external view returns (bytes memory) {
    return hashes[recordVersions[node]][node];
  }

  function name(bytes32 node) external view returns (string memory) {
    return names[recordVersions[node]][node];
  }

  function text(bytes32 node, string calldata key) external view returns (string memory) {
    return texts[recordVersions[node]][node][key];
  }

  function supportsInterface(bytes4 id) external pure returns (bool) {
    return id == 0x01ffc9a7 || id == 0x3b3b57de || id == 0xf1cb7e06 || id == 0xbc1c58d1 || id == 0x59d1d43c
      || id == 0x691f3431;
  }
}

/// A resolver that answers for all names below its own (ENSIP-10): their address follows from their bytes.
contract WildcardResolver {
  function supportsInterface(bytes4 id) external pure returns (bool) {
    return id == 0x01ffc9a7 || id == 0x9061b923;
  }

  function resolve(bytes calldata dnsName, bytes calldata data) external pure returns (bytes memory) {
    if (bytes4(data) == 0x3b3b57de) return abi.encode(address(uint160(uint256(keccak256(dnsName)))));
    if (bytes4(data) == 0x59d1d43c) {
      (, string memory key) = abi.decode(data[4:], (bytes32, string));
      return abi.encode(string.concat(key, " of ", string(dnsName[1:1 + uint8(dnsName[0])])));
    }
    return "";
  }
}

/// A resolver that has some functions, and answers the others with a wrong number of bytes, with an error, or not at all.
contract FaultyResolver {
  error NotToday(uint256 day);

  fallback(bytes calldata data) external returns (bytes memory) {
    if (bytes4(data) == 0x3b3b57de) return hex"0102";
    // an address with a bit above its 160
    if (bytes4(data) == 0xf1cb7e06) return abi.encode(uint256(32), uint256(21));
    // as a resolver without this function does, or one that fails
    if (bytes4(data) == 0x59d1d43c && data.length == 100) revert();
    if (bytes4(data) == 0x59d1d43c) revert NotToday(7);
    // bytes that are not UTF-8
    if (bytes4(data) == 0x691f3431) return abi.encode(hex"ff");
    return "";
  }
}

error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callbackFunction, bytes extraData);

/// A resolver whose records a gateway has. The gateway's answer must be signed by `signer`.
contract OffchainResolver {
  string[] urls;
  address signer;

  constructor(string[] memory urls_, address signer_) {
    urls = urls_;
    signer = signer_;
  }

  function supportsInterface(bytes4 id) external pure returns (bool) {
    return id == 0x01ffc9a7 || id == 0x9061b923;
  }

  function resolve(bytes calldata, bytes calldata) external view returns (bytes memory) {
    revert OffchainLookup(address(this), urls, msg.data, this.signed.selector, msg.data);
  }

  /// Takes `(bytes result, uint8 v, bytes32 r, bytes32 s)`, signed over the question and the result.
  function signed(bytes calldata response, bytes calldata question) external view returns (bytes memory) {
    (bytes memory result, uint8 v, bytes32 r, bytes32 s) = abi.decode(response, (bytes, uint8, bytes32, bytes32));
    bytes32 digest = keccak256(abi.encodePacked(hex"1900", address(this), keccak256(question), keccak256(result)));
    require(ecrecover(digest, v, r, s) == signer, "not the signer");
    return result;
  }
}

/// A resolver whose gateway's answer leads to another lookup, `depth` times.
contract RepeatingResolver {
  string[] urls;

  constructor(string[] memory urls_) {
    urls = urls_;
  }

  function supportsInterface(bytes4 id) external pure returns (bool) {
    return id == 0x01ffc9a7 || id == 0x9061b923;
  }

  function resolve(bytes calldata, bytes calldata data) external view returns (bytes memory) {
    (, string memory key) = abi.decode(data[4:], (bytes32, string));
    again(uint8(bytes(key)[0]) - 48);
  }

  function next(bytes calldata, bytes calldata extraData) external view returns (bytes memory) {
    uint256 left = abi.decode(extraData, (uint256));
    if (left > 0) again(left);
    return abi.encode("the end");
  }

  function again(uint256 left) internal view {
    revert OffchainLookup(address(this), urls, abi.encode(left), this.next.selector, abi.encode(left - 1));
  }
}

/// The entry (ENSIP-23): finds the resolver of a name, and asks it.
contract Entry {
  error ResolverNotFound(bytes name);
  error ResolverNotContract(bytes name, address resolver);
  error UnsupportedResolverProfile(bytes4 selector);
  error ResolverError(bytes errorData);
  error ReverseAddressMismatch(string primary, bytes primaryAddress);

  struct Query {
    address sender;
    string[] urls;
    bytes data;
  }

  enum Goal {
    Record,
    NameOfAddress,
    AddressOfName
  }

  struct Task {
    Goal goal;
    address resolver;
    bool isExtended;
    bytes4 selector;
    string[] gateways;
    bytes lookedUp;
    uint256 coinType;
    string primary;
    address reverseResolver;
  }

  Registry immutable registry;

  constructor(Registry registry_) {
    registry = registry_;
  }

  function findResolver(bytes memory name) public view returns (address resolver, bytes32 node, uint256 offset) {
    node = nodeAt(name, 0);
    while (uint8(name[offset]) != 0) {
      resolver = registry.resolver(nodeAt(name, offset));
      if (resolver != address(0)) return (resolver, node, offset);
      offset += 1 + uint8(name[offset]);
    }
    return (address(0), node, 0);
  }

  function resolveWithGateways(bytes calldata name, bytes calldata data, string[] memory gateways)
    external
    view
    returns (bytes memory, address)
  {
    Task memory task;
    task.gateways = gateways;
    ask(task, name, data);
  }

  function reverseWithGateways(bytes calldata lookedUp, uint256 coinType, string[] memory gateways)
    external
    view
    returns (string memory, address, address)
  {
    Task memory task;
    task.goal = Goal.NameOfAddress;
    task.gateways = gateways;
    task.lookedUp = lookedUp;
    task.coinType = coinType;
    bytes memory parent = coinType == 60 ? bytes("addr") : hexOf(abi.encodePacked(coinType));
    bytes memory name = encode(bytes.concat(hexOf(lookedUp), ".", parent, ".reverse"));
    ask(task, name, abi.encodeWithSelector(0x691f3431, nodeAt(name, 0)));
  }

  /// Takes the answer of the batch of one request.
  function answered(bytes calldata response, bytes calldata extraData) external view {
    (Task memory task, address sender, bytes4 callback, bytes memory extra) =
      abi.decode(extraData, (Task, address, bytes4, bytes));
    (bool[] memory failures, bytes[] memory responses) = abi.decode(response, (bool[], bytes[]));
    if (failures[0]) fail(responses[0]);
    (bool ok, bytes memory answer) = sender.staticcall(abi.encodeWithSelector(callback, responses[0], extra));
    finish(task, ok, answer);
  }

  function ask(Task memory task, bytes memory name, bytes memory data) internal view {
    uint256 offset;
    (task.resolver,, offset) = findResolver(name);
    if (task.resolver == address(0)) revert ResolverNotFound(name);
    task.isExtended = isExtended(task.resolver);
    if (!task.isExtended && offset != 0) revert ResolverNotFound(name);
    if (task.resolver.code.length == 0) revert ResolverNotContract(name, task.resolver);
    task.selector = bytes4(data);
    (bool ok, bytes memory answer) =
      task.resolver.staticcall(task.isExtended ? abi.encodeWithSelector(0x9061b923, name, data) : data);
    finish(task, ok, answer);
  }

  function finish(Task memory task, bool ok, bytes memory answer) internal view {
    if (!ok) {
      if (bytes4(answer) == OffchainLookup.selector) lookUp(task, answer);
      revert ResolverError(answer);
    }
    if (answer.length == 0) revert UnsupportedResolverProfile(task.selector);
    // no bytes within are passed on, as by the published contract
    if (task.isExtended) answer = abi.decode(answer, (bytes));
    if (task.goal == Goal.Record) end(abi.encode(answer, task.resolver));
    if (task.goal == Goal.NameOfAddress) {
      task.primary = abi.decode(answer, (string));
      task.reverseResolver = task.resolver;
      if (bytes(task.primary).length == 0) end(abi.encode("", address(0), task.resolver));
      task.goal = Goal.AddressOfName;
      bytes memory name = encode(bytes(task.primary));
      bytes32 node = nodeAt(name, 0);
      ask(
        task,
        name,
        task.coinType == 60
          ? abi.encodeWithSelector(0x3b3b57de, node)
          : abi.encodeWithSelector(0xf1cb7e06, node, task.coinType)
      );
    }
    bytes memory found =
      task.coinType == 60 ? abi.encodePacked(abi.decode(answer, (address))) : abi.decode(answer, (bytes));
    if (keccak256(found) != keccak256(task.lookedUp)) revert ReverseAddressMismatch(task.primary, found);
    end(abi.encode(task.primary, task.resolver, task.reverseResolver));
  }

  function lookUp(Task memory task, bytes memory error) internal view {
    assembly {
      // the bytes behind the selector
      mstore(add(error, 4), sub(mload(error), 4))
      error := add(error, 4)
    }
    (address sender, string[] memory urls, bytes memory data, bytes4 callback, bytes memory extra) =
      abi.decode(error, (address, string[], bytes, bytes4, bytes));
    Query[] memory queries = new Query[](1);
    queries[0] = Query(sender, urls, data);
    revert OffchainLookup(
      address(this),
      task.gateways,
      abi.encodeWithSignature("query((address,string[],bytes)[])", queries),
      this.answered.selector,
      abi.encode(task, sender, callback, extra)
    );
  }

  function isExtended(address resolver) internal view returns (bool) {
    (bool ok, bytes memory answer) =
      resolver.staticcall{ gas: 30000 }(abi.encodeWithSelector(0x01ffc9a7, bytes4(0x9061b923)));
    return ok && answer.length >= 32 && abi.decode(answer, (uint256)) == 1;
  }

  function nodeAt(bytes memory name, uint256 at) internal pure returns (bytes32) {
    uint256 size = uint8(name[at]);
    if (size == 0) return bytes32(0);
    bytes32 label;
    assembly {
      label := keccak256(add(add(name, 33), at), size)
    }
    return keccak256(abi.encodePacked(nodeAt(name, at + 1 + size), label));
  }

  function encode(bytes memory name) internal pure returns (bytes memory out) {
    out = bytes.concat(hex"00", name, hex"00");
    uint256 from;
    for (uint256 i = 1; i < out.length; i++) {
      if (out[i] != "." && i + 1 < out.length) continue;
      out[from] = bytes1(uint8(i - from - 1));
      from = i;
    }
    out[out.length - 1] = 0;
  }

  function hexOf(bytes memory value) internal pure returns (bytes memory out) {
    uint256 at;
    // a coin type is written without leading zeros
    if (value.length == 32) while (value[at] == 0) at++;
    for (; at < value.length; at++) {
      out = bytes.concat(out, digit(uint8(value[at]) >> 4), digit(uint8(value[at]) & 15));
    }
  }

  function digit(uint8 value) internal pure returns (bytes1) {
    return bytes1(value < 10 ? 48 + value : 87 + value);
  }

  function end(bytes memory out) internal pure {
    assembly {
      return(add(out, 32), mload(out))
    }
  }

  function fail(bytes memory out) internal pure {
    assembly {
      revert(add(out, 32), mload(out))
    }
  }
}

/// A contract that asks for gateways in ways that are forbidden.
contract Forbidden {
  fallback(bytes calldata) external returns (bytes memory) {
    string[] memory urls = new string[](1);
    urls[0] = "https://gateway.example";
    revert OffchainLookup(address(1), urls, "", 0x00000001, "");
  }
}

/// A proxy whose implementation is in the slot of ERC-1967.
contract Proxy {
  constructor(address implementation) {
    assembly {
      sstore(0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc, implementation)
    }
  }

  fallback() external {
    assembly {
      let implementation := sload(0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc)
      calldatacopy(0, 0, calldatasize())
      let ok := delegatecall(gas(), implementation, 0, calldatasize(), 0, 0)
      returndatacopy(0, 0, returndatasize())
      if iszero(ok) { revert(0, returndatasize()) }
      return(0, returndatasize())
    }
  }
}
