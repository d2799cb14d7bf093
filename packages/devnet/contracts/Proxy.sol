// SPDX-License-Identifier: Apache-2.0 OR MIT
pragma solidity 0.8.37;

/// An upgradeable proxy. Its implementation and admin are in the slots of EIP-1967; the implementation uses all others.
contract Proxy {
    // keccak256("eip1967.proxy.implementation") - 1
    bytes32 internal constant IMPLEMENTATION = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc;
    // keccak256("eip1967.proxy.admin") - 1
    bytes32 internal constant ADMIN = 0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103;

    event Upgraded(address indexed implementation);
    event AdminChanged(address previousAdmin, address newAdmin);

    error NotAdmin(address caller);
    error NoCode(address implementation);

    constructor(address implementation) {
        store(ADMIN, msg.sender);
        emit AdminChanged(address(0), msg.sender);
        set(implementation);
    }

    function upgradeToAndCall(address implementation, bytes calldata data) external {
        if (msg.sender != load(ADMIN)) revert NotAdmin(msg.sender);
        set(implementation);
        if (data.length > 0) delegate(implementation, data);
    }

    fallback() external payable {
        delegate(load(IMPLEMENTATION), msg.data);
    }

    receive() external payable {}

    function set(address implementation) private {
        if (implementation.code.length == 0) revert NoCode(implementation);
        store(IMPLEMENTATION, implementation);
        emit Upgraded(implementation);
    }

    function delegate(address to, bytes memory data) private {
        (bool success, bytes memory result) = to.delegatecall(data);
        assembly ("memory-safe") {
            switch success
            case 0 { revert(add(result, 32), mload(result)) }
            default { return(add(result, 32), mload(result)) }
        }
    }

    function load(bytes32 slot) private view returns (address value) {
        assembly ("memory-safe") {
            value := sload(slot)
        }
    }

    function store(bytes32 slot, address value) private {
        assembly ("memory-safe") {
            sstore(slot, value)
        }
    }
}
