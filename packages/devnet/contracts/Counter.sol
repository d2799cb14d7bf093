// SPDX-License-Identifier: Apache-2.0 OR MIT
pragma solidity 0.8.37;

/// Counts calls per caller. It runs behind the proxy and as the code of a delegated account (EIP-7702).
contract Counter {
    uint256 public total; // slot 0
    mapping(address caller => uint256) public calls; // slot 1

    event Counted(address indexed caller, uint256 by, uint256 total);

    function version() external pure virtual returns (uint256) {
        return 1;
    }

    function increment() external {
        add(1);
    }

    function add(uint256 by) internal {
        total += by;
        calls[msg.sender] += 1;
        emit Counted(msg.sender, by, total);
    }
}

/// The next version, which adds a variable after the old ones.
contract CounterV2 is Counter {
    uint128 public step; // slot 2, these two share it
    uint64 public upgradedAt;

    function version() external pure override returns (uint256) {
        return 2;
    }

    function migrate(uint128 step_) external {
        step = step_;
        upgradedAt = uint64(block.timestamp);
    }

    function advance() external {
        add(step);
    }
}
