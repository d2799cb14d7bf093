// SPDX-License-Identifier: Apache-2.0 OR MIT
pragma solidity 0.8.37;

/// A token with the interface of ERC-20: balances in a mapping, allowances in a mapping of mappings.
contract Token {
    string public name; // slot 0, short: data and length share the slot
    string public symbol; // slot 1
    uint8 public immutable decimals = 18; // in the code, not in storage
    uint256 public totalSupply; // slot 2
    mapping(address owner => uint256) public balanceOf; // slot 3
    mapping(address owner => mapping(address spender => uint256)) public allowance; // slot 4

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    error InsufficientBalance(address owner, uint256 balance, uint256 needed);
    error InsufficientAllowance(address spender, uint256 allowance, uint256 needed);

    constructor(string memory name_, string memory symbol_, uint256 supply) {
        name = name_;
        symbol = symbol_;
        totalSupply = supply;
        balanceOf[msg.sender] = supply;
        emit Transfer(address(0), msg.sender, supply);
    }

    function transfer(address to, uint256 value) external returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        uint256 allowed = allowance[from][msg.sender];
        if (allowed < value) revert InsufficientAllowance(msg.sender, allowed, value);
        allowance[from][msg.sender] = allowed - value;
        move(from, to, value);
        return true;
    }

    function move(address from, address to, uint256 value) private {
        uint256 balance = balanceOf[from];
        if (balance < value) revert InsufficientBalance(from, balance, value);
        unchecked {
            balanceOf[from] = balance - value;
            balanceOf[to] += value; // never more than totalSupply
        }
        emit Transfer(from, to, value);
    }
}
