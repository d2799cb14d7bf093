// SPDX-License-Identifier: Apache-2.0 OR MIT
pragma solidity 0.8.37;

/// Ends in each way in which Solidity can end a call.
contract Ends {
    enum Phase {
        Draft,
        Open
    }

    struct Detail {
        uint64 at;
        bytes32 what;
        string why;
    }

    error Plain();
    error Balance(address who, uint256 has, uint256 wants);
    error Nested(Detail[] details, bytes raw);

    uint256[] internal list;
    function() internal pointer;

    function reason(string calldata text) external pure {
        revert(text);
    }

    function requires(bool condition, string calldata text) external pure {
        require(condition, text);
    }

    function plain() external pure {
        revert Plain();
    }

    function balance(address who, uint256 has, uint256 wants) external pure {
        revert Balance(who, has, wants);
    }

    function nested(uint256 count, bytes calldata raw) external pure {
        Detail[] memory details = new Detail[](count % 5);
        for (uint256 i = 0; i < details.length; ++i) details[i] = Detail(uint64(i), keccak256(raw), string(raw));
        revert Nested(details, raw);
    }

    function raw(bytes calldata data) external pure {
        assembly {
            calldatacopy(0, data.offset, data.length)
            revert(0, data.length)
        }
    }

    function returned(bytes calldata data) external pure {
        assembly {
            calldatacopy(0, data.offset, data.length)
            return(0, data.length)
        }
    }

    function panic(uint256 kind, uint256 operand) external returns (uint256 result) {
        kind %= 9;
        if (kind == 0) assert(operand == 1);
        if (kind == 1) result = operand - (operand | (1 << 255)) - 1;
        if (kind == 2) result = operand / (operand & 0);
        if (kind == 3) result = uint256(Phase(operand | 2));
        if (kind == 4) list.pop();
        if (kind == 5) result = list[operand];
        if (kind == 6) result = new uint256[](operand | (1 << 64)).length;
        if (kind == 7) pointer();
        if (kind == 8) result = operand * (operand | (1 << 255)) * 3;
    }

    function halt(uint256 kind) external {
        kind %= 7;
        assembly {
            switch kind
            case 0 {
                invalid()
            }
            case 1 {
                mstore(not(0), 1)
            }
            case 2 {
                returndatacopy(0, 0, 1)
            }
            case 3 {
                for {} 1 {} {}
            }
            case 4 {
                pop(keccak256(0, 0x10000000))
            }
            case 5 {
                return(0, 0x20000000)
            }
            case 6 {
                revert(0x20000000, 1)
            }
        }
    }

    function payable_() external payable returns (uint256, uint256, address, address) {
        return (msg.value, address(this).balance, msg.sender, tx.origin);
    }
}

/// Calls other accounts, and says what came back and what it cost.
contract Caller {
    event Called(address indexed to, bool success, bytes data);

    function call(address to, uint256 value, uint256 gas_, bytes calldata data)
        external
        payable
        returns (bool success, bytes memory result, uint256 spent)
    {
        uint256 before = gasleft();
        (success, result) = to.call{value: value, gas: gas_}(data);
        spent = before - gasleft();
        emit Called(to, success, result);
    }

    function view_(address to, uint256 gas_, bytes calldata data)
        external
        view
        returns (bool success, bytes memory result, uint256 spent)
    {
        uint256 before = gasleft();
        (success, result) = to.staticcall{gas: gas_}(data);
        spent = before - gasleft();
    }

    function delegate(address to, uint256 gas_, bytes calldata data)
        external
        payable
        returns (bool success, bytes memory result, uint256 spent)
    {
        uint256 before = gasleft();
        (success, result) = to.delegatecall{gas: gas_}(data);
        spent = before - gasleft();
    }

    function callcode(address to, uint256 value, uint256 gas_, bytes calldata data)
        external
        payable
        returns (bool success, uint256 size, uint256 spent)
    {
        uint256 before = gasleft();
        bytes memory input = data;
        assembly {
            success := callcode(gas_, to, value, add(input, 32), mload(input), 0, 0)
            size := returndatasize()
        }
        spent = before - gasleft();
    }

    /// Several calls after each other, in the form of Multicall3.
    function aggregate(address[] calldata to, bytes[] calldata data)
        external
        payable
        returns (bool[] memory successes, bytes[] memory results)
    {
        successes = new bool[](to.length);
        results = new bytes[](to.length);
        for (uint256 i = 0; i < to.length; ++i) (successes[i], results[i]) = to[i].call(data[i]);
    }

    /// Copies a part of what a call returned, inside its bounds or not.
    function part(address to, bytes calldata data, uint256 from, uint256 length) external returns (bytes32 digest) {
        bytes memory input = data;
        assembly {
            pop(call(gas(), to, 0, add(input, 32), mload(input), 0, 0))
            let at := mload(0x40)
            returndatacopy(at, from, length)
            digest := keccak256(at, length)
        }
    }

    /// Calls itself until the depth, the gas or the count ends.
    function deeper(uint256 count) public returns (uint256 depth, uint256 left) {
        if (count == 0) return (0, gasleft());
        try this.deeper(count - 1) returns (uint256 depth_, uint256 left_) {
            return (depth_ + 1, left_);
        } catch (bytes memory why) {
            return (0, why.length);
        }
    }

    /// Each level may use all but a 64th part of what is left.
    function forwarded() external returns (uint256 here, uint256 there) {
        here = gasleft();
        there = this.left();
    }

    function left() external view returns (uint256) {
        return gasleft();
    }

    receive() external payable {}
}

/// Reads and writes its slots, and says what each step cost.
contract Slots {
    error Undone(uint256[] spent);

    function write(uint256[] calldata slots, uint256[] calldata values) public returns (uint256[] memory spent) {
        spent = new uint256[](slots.length);
        for (uint256 i = 0; i < slots.length; ++i) {
            uint256 slot = slots[i];
            uint256 value = values[i];
            uint256 before = gasleft();
            assembly {
                sstore(slot, value)
            }
            spent[i] = before - gasleft();
        }
    }

    function read(uint256[] calldata slots) external view returns (uint256[] memory values, uint256[] memory spent) {
        spent = new uint256[](slots.length);
        values = new uint256[](slots.length);
        for (uint256 i = 0; i < slots.length; ++i) {
            uint256 slot = slots[i];
            uint256 value;
            uint256 before = gasleft();
            assembly {
                value := sload(slot)
            }
            spent[i] = before - gasleft();
            values[i] = value;
        }
    }

    /// Writes in a call that is undone, then in one that is kept: what the first made warm is cold again.
    function undone(uint256[] calldata slots, uint256[] calldata values)
        external
        returns (bytes memory first, uint256[] memory second)
    {
        try this.undo(slots, values) {} catch (bytes memory why) {
            first = why;
        }
        second = write(slots, values);
    }

    function undo(uint256[] calldata slots, uint256[] calldata values) external {
        revert Undone(write(slots, values));
    }

    function temporary(uint256[] calldata slots, uint256[] calldata values)
        external
        returns (uint256[] memory read_, uint256 outside, uint256 spent)
    {
        read_ = new uint256[](slots.length);
        uint256 before = gasleft();
        for (uint256 i = 0; i < slots.length; ++i) {
            uint256 slot = slots[i];
            uint256 value = values[i];
            assembly {
                tstore(slot, value)
            }
        }
        for (uint256 i = 0; i < slots.length; ++i) {
            uint256 slot = slots[i];
            uint256 value;
            assembly {
                value := tload(slot)
            }
            read_[i] = value;
        }
        if (slots.length > 0) outside = this.temporaryAt(slots[0]);
        try this.temporaryUndone(0) {} catch {}
        spent = before - gasleft();
    }

    function temporaryAt(uint256 slot) external view returns (uint256 value) {
        assembly {
            value := tload(slot)
        }
    }

    function temporaryUndone(uint256 slot) external {
        assembly {
            tstore(slot, not(tload(slot)))
            revert(0, 0)
        }
    }
}

/// Makes contracts and ends them.
contract Factory {
    event Made(address indexed at, uint256 size);

    function make(bytes calldata code, uint256 value) public payable returns (address at, uint256 size, uint256 spent) {
        bytes memory input = code;
        uint256 before = gasleft();
        assembly {
            at := create(value, add(input, 32), mload(input))
        }
        spent = before - gasleft();
        size = at.code.length;
        emit Made(at, size);
    }

    function makeAt(bytes calldata code, uint256 value, bytes32 salt)
        public
        payable
        returns (address at, uint256 size, uint256 spent)
    {
        bytes memory input = code;
        uint256 before = gasleft();
        assembly {
            at := create2(value, add(input, 32), mload(input), salt)
        }
        spent = before - gasleft();
        size = at.code.length;
    }

    /// The second creation at one address fails, and takes the gas that it was given.
    function makeTwice(bytes calldata code, bytes32 salt)
        external
        payable
        returns (address first, address second, uint256 spent)
    {
        (first,,) = makeAt(code, 0, salt);
        uint256 before = gasleft();
        (bool done, bytes memory result) = address(this).call{gas: 300000}(
            abi.encodeCall(this.makeAt, (code, 0, salt))
        );
        if (done) (second,,) = abi.decode(result, (address, uint256, uint256));
        spent = before - gasleft();
    }

    /// Makes a contract, calls it and says what it returned and what is left of it.
    function makeAndCall(bytes calldata code, uint256 value, bytes calldata data)
        external
        payable
        returns (address at, bool success, bytes memory result, uint256 size, uint256 balance)
    {
        (at,,) = make(code, value);
        (success, result) = at.call(data);
        (size, balance) = (at.code.length, at.balance);
    }

    function callAndLook(address at, bytes calldata data, address heir)
        external
        payable
        returns (bool success, bytes32 hash, uint256 balance, uint256 inherited)
    {
        (success,) = at.call(data);
        (hash, balance, inherited) = (at.codehash, at.balance, heir.balance);
    }

    receive() external payable {}
}

/// Says what a contract can know of the block, the transaction and other accounts.
contract Surroundings {
    function block_() external view returns (uint256, uint256, address, uint256, uint256, uint256, uint256) {
        return (
            block.number,
            block.timestamp,
            block.coinbase,
            block.prevrandao,
            block.gaslimit,
            block.chainid,
            address(this).balance
        );
    }

    function fees() external view returns (uint256, uint256, uint256) {
        return (block.basefee, block.blobbasefee, tx.gasprice);
    }

    function hashes(uint256 from, uint256 count) external view returns (bytes32[] memory found) {
        found = new bytes32[](count);
        for (uint256 i = 0; i < count; ++i) {
            unchecked {
                found[i] = blockhash(from + i);
            }
        }
    }

    function ago(uint256 distance) external view returns (bytes32) {
        unchecked {
            return blockhash(block.number - distance);
        }
    }

    function blob(uint256 index) external view returns (bytes32) {
        return blobhash(index);
    }

    function account(address who)
        external
        view
        returns (uint256 balance, uint256 size, bytes32 hash, bytes memory code, uint256 spent)
    {
        uint256 before = gasleft();
        balance = who.balance;
        size = who.code.length;
        hash = who.codehash;
        code = new bytes(size > 64 ? 64 : size + 3);
        uint256 length = code.length;
        assembly {
            extcodecopy(who, add(code, 32), 0, length)
        }
        spent = before - gasleft();
    }

    function message(bytes calldata) external payable returns (address, address, uint256, bytes memory, uint256) {
        return (msg.sender, tx.origin, msg.value, msg.data, gasleft());
    }

    fallback(bytes calldata data) external payable returns (bytes memory) {
        return abi.encode(msg.sender, msg.value, data, address(this).code.length);
    }
}

/// Works in memory: copies, hashes, arithmetic and logs.
contract Work {
    event Noted(uint256 indexed a, bytes32 indexed b, address indexed c, bytes data);
    event Bare() anonymous;

    function hash(bytes calldata data, uint256 rounds) external pure returns (bytes32 digest) {
        digest = keccak256(data);
        for (uint256 i = 0; i < rounds % 64; ++i) digest = keccak256(abi.encode(digest, i));
    }

    function copy(bytes calldata data, uint256 to, uint256 from, uint256 length)
        external
        view
        returns (bytes memory out, uint256 left)
    {
        out = bytes.concat(data, data, data);
        assembly {
            let base := add(out, 32)
            mcopy(add(base, to), add(base, from), length)
        }
        left = gasleft();
    }

    function arithmetic(uint256 a, uint256 b, uint256 m) external pure returns (uint256[14] memory out) {
        assembly {
            mstore(out, add(a, b))
            mstore(add(out, 32), mul(a, b))
            mstore(add(out, 64), sdiv(a, b))
            mstore(add(out, 96), smod(a, b))
            mstore(add(out, 128), addmod(a, b, m))
            mstore(add(out, 160), mulmod(a, b, m))
            mstore(add(out, 192), exp(a, b))
            mstore(add(out, 224), signextend(a, b))
            mstore(add(out, 256), sar(a, b))
            mstore(add(out, 288), shl(a, b))
            mstore(add(out, 320), byte(a, b))
            mstore(add(out, 352), slt(a, b))
            mstore(add(out, 384), clz(a))
            mstore(add(out, 416), shr(b, a))
        }
    }

    function note(uint256 a, bytes32 b, address c, bytes calldata data) external returns (uint256 spent) {
        uint256 before = gasleft();
        emit Noted(a, b, c, data);
        emit Bare();
        spent = before - gasleft();
    }
}

/// Ends itself, or only sends its ether away, by EIP-6780.
contract Mortal {
    constructor() payable {}

    function end(address payable heir) external payable {
        selfdestruct(heir);
    }

    receive() external payable {}
}

/// Ends itself while it is made.
contract Stillborn {
    constructor() payable {
        selfdestruct(payable(msg.sender));
    }
}
