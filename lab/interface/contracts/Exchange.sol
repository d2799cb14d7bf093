// SPDX-License-Identifier: Apache-2.0 OR MIT
pragma solidity ^0.8.29;

// The contracts that a page for swaps reads, in their published forms, and smaller.

/// Many calls in one, as Multicall3 (https://www.multicall3.com).
contract Multicall {
    struct Call { address target; bool allowFailure; bytes callData; }
    struct Plain { address target; bytes callData; }
    struct Result { bool success; bytes returnData; }

    function aggregate3(Call[] calldata calls) external payable returns (Result[] memory results) {
        results = new Result[](calls.length);
        for (uint256 i; i < calls.length; i++) {
            (results[i].success, results[i].returnData) = calls[i].target.call(calls[i].callData);
            require(results[i].success || calls[i].allowFailure, "Multicall3: call failed");
        }
    }
    function tryAggregate(bool all, Plain[] calldata calls) external payable returns (Result[] memory results) {
        results = new Result[](calls.length);
        for (uint256 i; i < calls.length; i++) {
            (results[i].success, results[i].returnData) = calls[i].target.call(calls[i].callData);
            require(results[i].success || !all, "Multicall3: call failed");
        }
    }
    function getEthBalance(address who) external view returns (uint256) { return who.balance; }
    function getChainId() external view returns (uint256) { return block.chainid; }
    function getBlockHash(uint256 number) external view returns (bytes32) { return blockhash(number); }
}

/// ERC-20 with permits (ERC-2612) and the description of its domain (ERC-5267).
contract Coin {
    string public name;
    string public symbol;
    uint8 public decimals;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    mapping(address => uint256) public nonces;
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);
    error InsufficientBalance(address from, uint256 balance, uint256 needed);

    constructor(string memory name_, string memory symbol_, uint8 decimals_, uint256 supply) {
        initialize(name_, symbol_, decimals_, supply);
    }
    function initialize(string memory name_, string memory symbol_, uint8 decimals_, uint256 supply) public {
        require(totalSupply == 0, "initialized");
        (name, symbol, decimals, totalSupply) = (name_, symbol_, decimals_, supply);
        balanceOf[msg.sender] = supply;
        emit Transfer(address(0), msg.sender, supply);
    }
    function transfer(address to, uint256 value) external returns (bool) { move(msg.sender, to, value); return true; }
    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }
    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        allowance[from][msg.sender] -= value;
        move(from, to, value);
        return true;
    }
    function move(address from, address to, uint256 value) private {
        if (balanceOf[from] < value) revert InsufficientBalance(from, balanceOf[from], value);
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
    function DOMAIN_SEPARATOR() public view returns (bytes32) {
        return keccak256(abi.encode(
            keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
            keccak256(bytes(name)), keccak256("1"), block.chainid, address(this)));
    }
    function eip712Domain() external view returns (
        bytes1, string memory, string memory, uint256, address, bytes32, uint256[] memory
    ) {
        return (0x0f, name, "1", block.chainid, address(this), 0, new uint256[](0));
    }
    function permit(address owner, address spender, uint256 value, uint256 end, uint8 v, bytes32 r, bytes32 s) external {
        require(block.timestamp <= end, "expired");
        bytes32 hash = keccak256(abi.encode(
            keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)"),
            owner, spender, value, nonces[owner]++, end));
        require(ecrecover(keccak256(abi.encodePacked("\x19\x01", DOMAIN_SEPARATOR(), hash)), v, r, s) == owner, "signer");
        allowance[owner][spender] = value;
    }
}

/// A token of the early kind, whose texts are words.
contract OldCoin {
    bytes32 public constant name = "Old Coin";
    bytes32 public constant symbol = "OLD";
    uint256 public constant decimals = 18;
    mapping(address => uint256) public balanceOf;
    constructor() { balanceOf[msg.sender] = 3e18; }
}

/// A proxy with its implementation in the slot of ERC-1967.
contract UpgradeableProxy {
    bytes32 constant SLOT = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc;
    constructor(address implementation, bytes memory data) {
        assembly { sstore(SLOT, implementation) }
        (bool success,) = implementation.delegatecall(data);
        require(success);
    }
    fallback() external payable {
        assembly {
            calldatacopy(0, 0, calldatasize())
            let success := delegatecall(gas(), sload(SLOT), 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(success) { revert(0, returndatasize()) }
            return(0, returndatasize())
        }
    }
}

interface SwapCallback { function swapCallback(int256 amount0, int256 amount1, bytes calldata data) external; }

/// A pool with the reads of Uniswap v3, and a price that follows from two reserves.
contract Pool {
    struct Slot0 {
        uint160 sqrtPriceX96; int24 tick; uint16 observationIndex; uint16 observationCardinality;
        uint16 observationCardinalityNext; uint8 feeProtocol; bool unlocked;
    }
    struct Tick { uint128 liquidityGross; int128 liquidityNet; bool initialized; }
    Coin public token0;
    Coin public token1;
    uint24 public fee;
    int24 public tickSpacing;
    Slot0 public slot0;
    uint128 public liquidity;
    mapping(int24 => Tick) public ticks;
    mapping(int16 => uint256) public tickBitmap;
    uint256 public reserve0;
    uint256 public reserve1;
    uint32 immutable born = uint32(block.timestamp);
    event Swap(address indexed sender, address indexed to, int256 amount0, int256 amount1);

    constructor(Coin a, Coin b, uint24 fee_, uint160 price, int24 tick) {
        (token0, token1, fee, tickSpacing) = (a, b, fee_, int24(fee_ / 50));
        slot0 = Slot0(price, tick, 0, 1, 1, 0, true);
        ticks[tick] = Tick(5e17, -5e17, true);
        tickBitmap[int16(tick >> 8)] = 1 << 77;
    }
    function sync() external {
        (reserve0, reserve1) = (token0.balanceOf(address(this)), token1.balanceOf(address(this)));
        liquidity = uint128(reserve0 < reserve1 ? reserve0 : reserve1);
    }
    function observe(uint32[] calldata ago) external view returns (int56[] memory cumulative, uint160[] memory seconds_) {
        (cumulative, seconds_) = (new int56[](ago.length), new uint160[](ago.length));
        for (uint256 i; i < ago.length; i++) {
            require(ago[i] <= 1000000, "OLD");
            cumulative[i] = int56(slot0.tick) * int56(uint56(ago[i]));
            seconds_[i] = uint160(ago[i]) << 128;
        }
    }
    function swap(address to, bool zeroForOne, uint256 amountIn, bytes calldata data) external returns (int256, int256) {
        require(slot0.unlocked, "LOK");
        slot0.unlocked = false;
        (uint256 from, uint256 into) = zeroForOne ? (reserve0, reserve1) : (reserve1, reserve0);
        uint256 taken = amountIn * (1e6 - fee) / 1e6;
        uint256 out = into * taken / (from + taken);
        (int256 amount0, int256 amount1) =
            zeroForOne ? (int256(amountIn), -int256(out)) : (-int256(out), int256(amountIn));
        (zeroForOne ? token1 : token0).transfer(to, out);
        SwapCallback(msg.sender).swapCallback(amount0, amount1, data);
        (reserve0, reserve1) = (token0.balanceOf(address(this)), token1.balanceOf(address(this)));
        require((zeroForOne ? reserve0 : reserve1) >= from + amountIn, "IIA");
        slot0.unlocked = true;
        emit Swap(msg.sender, to, amount0, amount1);
        return (amount0, amount1);
    }
}

contract Factory {
    mapping(address => mapping(address => mapping(uint24 => address))) public getPool;
    function add(Pool pool) external {
        (address a, address b) = (address(pool.token0()), address(pool.token1()));
        getPool[a][b][pool.fee()] = getPool[b][a][pool.fee()] = address(pool);
    }
}

/// Makes a swap that its callback reverts, and reads the amount from the revert, as the quoters of Uniswap v3.
contract Quoter is SwapCallback {
    Factory immutable factory;
    struct Params { address tokenIn; address tokenOut; uint256 amountIn; uint24 fee; }
    constructor(Factory factory_) { factory = factory_; }
    function swapCallback(int256 amount0, int256 amount1, bytes calldata) external pure {
        uint256 out = uint256(-(amount0 < 0 ? amount0 : amount1));
        assembly { mstore(0, out) revert(0, 32) }
    }
    function quoteExactInputSingle(Params memory p) public returns (uint256 amountOut, uint160 price, uint256 gasUsed) {
        Pool pool = Pool(factory.getPool(p.tokenIn, p.tokenOut, p.fee));
        uint256 before = gasleft();
        try pool.swap(address(this), p.tokenIn == address(pool.token0()), p.amountIn, "") {} catch (bytes memory reason) {
            if (reason.length != 32) assembly { revert(add(reason, 32), mload(reason)) }
            amountOut = abi.decode(reason, (uint256));
        }
        (price,,,,,,) = pool.slot0();
        gasUsed = before - gasleft();
    }
    function quoteExactInput(address[] calldata path, uint24[] calldata fees, uint256 amount) external returns (uint256) {
        for (uint256 i; i < fees.length; i++) (amount,,) = quoteExactInputSingle(Params(path[i], path[i + 1], amount, fees[i]));
        return amount;
    }
    /// Ends as the pool's callback ends: with the amount as the bytes of a revert.
    function quoteByRevert(Params memory p) external {
        Pool pool = Pool(factory.getPool(p.tokenIn, p.tokenOut, p.fee));
        try pool.swap(address(this), p.tokenIn == address(pool.token0()), p.amountIn, "") {} catch (bytes memory reason) {
            assembly { revert(add(reason, 32), mload(reason)) }
        }
    }
}

contract Router is SwapCallback {
    Factory immutable factory;
    error TooLittleReceived(uint256 received, uint256 minimum);
    constructor(Factory factory_) { factory = factory_; }
    function swapCallback(int256 amount0, int256 amount1, bytes calldata data) external {
        (address payer, Coin coin) = abi.decode(data, (address, Coin));
        coin.transferFrom(payer, msg.sender, uint256(amount0 > 0 ? amount0 : amount1));
    }
    function exactInputSingle(Quoter.Params calldata p, address to, uint256 minimum, uint256 deadline) external payable returns (uint256 out) {
        require(block.timestamp <= deadline, "Transaction too old");
        Pool pool = Pool(factory.getPool(p.tokenIn, p.tokenOut, p.fee));
        (int256 amount0, int256 amount1) =
            pool.swap(to, p.tokenIn == address(pool.token0()), p.amountIn, abi.encode(msg.sender, p.tokenIn));
        out = uint256(-(amount0 < 0 ? amount0 : amount1));
        if (out < minimum) revert TooLittleReceived(out, minimum);
    }
}

/// Permits for all tokens: the reads of Permit2.
contract Permits {
    struct Allowed { uint160 amount; uint48 expiration; uint48 nonce; }
    mapping(address => mapping(address => mapping(address => Allowed))) public allowance;
    function approve(address token, address spender, uint160 amount, uint48 expiration) external {
        allowance[msg.sender][token][spender] = Allowed(amount, expiration, 0);
    }
    function DOMAIN_SEPARATOR() external view returns (bytes32) {
        return keccak256(abi.encode(keccak256("EIP712Domain(string name,uint256 chainId,address verifyingContract)"),
            keccak256("Permit2"), block.chainid, address(this)));
    }
}

/// ERC-721 with a list of each owner's tokens, and positions as Uniswap's manager of positions has them.
contract Positions {
    string public constant name = "Positions";
    string public constant symbol = "POS";
    struct Position {
        uint96 nonce; address operator; address token0; address token1; uint24 fee; int24 tickLower; int24 tickUpper;
        uint128 liquidity; uint256 growth0; uint256 growth1; uint128 owed0; uint128 owed1;
    }
    mapping(uint256 => Position) public positions;
    mapping(uint256 => address) owners;
    mapping(address => uint256[]) held;
    event Transfer(address indexed from, address indexed to, uint256 indexed id);
    error NonexistentToken(uint256 id);
    function mint(Pool pool, int24 lower, int24 upper, uint128 liquidity) external {
        uint256 id = held[msg.sender].length + 1;
        positions[id] = Position(0, address(0), address(pool.token0()), address(pool.token1()), pool.fee(), lower, upper,
            liquidity, 7 << 128, 11 << 128, 13, 17);
        owners[id] = msg.sender;
        held[msg.sender].push(id);
        emit Transfer(address(0), msg.sender, id);
    }
    function ownerOf(uint256 id) public view returns (address) {
        if (owners[id] == address(0)) revert NonexistentToken(id);
        return owners[id];
    }
    function balanceOf(address who) external view returns (uint256) { return held[who].length; }
    function tokenOfOwnerByIndex(address who, uint256 at) external view returns (uint256) { return held[who][at]; }
    function getApproved(uint256 id) external view returns (address) { ownerOf(id); return positions[id].operator; }
    function isApprovedForAll(address, address) external pure returns (bool) { return false; }
    function tokenURI(uint256 id) external view returns (string memory) {
        ownerOf(id);
        bytes memory picture;
        for (uint256 i; i < 40; i++) picture = abi.encodePacked(picture, "<path d='M0 ", bytes1(uint8(48 + (id + i) % 10)), "h9'/>");
        return string(abi.encodePacked("data:image/svg+xml;utf8,<svg xmlns='http://www.w3.org/2000/svg'>", picture, "</svg>"));
    }
    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0x80ac58cd || id == 0x5b5e139f || id == 0x780e9d63;
    }
}

/// ERC-1155.
contract Items {
    mapping(uint256 => mapping(address => uint256)) public balances;
    constructor() { for (uint256 id = 1; id < 9; id++) balances[id][msg.sender] = id * id; }
    function balanceOf(address who, uint256 id) public view returns (uint256) { return balances[id][who]; }
    function balanceOfBatch(address[] calldata who, uint256[] calldata ids) external view returns (uint256[] memory found) {
        require(who.length == ids.length, "lengths");
        found = new uint256[](ids.length);
        for (uint256 i; i < ids.length; i++) found[i] = balances[ids[i]][who[i]];
    }
    function uri(uint256) external pure returns (string memory) { return "ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi/{id}.json"; }
    function supportsInterface(bytes4 id) external pure returns (bool) { return id == 0x01ffc9a7 || id == 0xd9b67a26; }
}

/// A price feed with the reads of Chainlink's, and a wallet that is a contract (ERC-1271).
contract Feed {
    uint8 public constant decimals = 8;
    string public constant description = "ETH / USD";
    int256 price;
    uint256 updated;
    constructor(int256 price_) { (price, updated) = (price_, block.timestamp); }
    function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) {
        return (42, price, updated, updated, 42);
    }
    function latestAnswer() external view returns (int256) { return price; }
}
contract Wallet {
    address owner = msg.sender;
    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        (bytes32 r, bytes32 s) = abi.decode(signature, (bytes32, bytes32));
        uint8 v = uint8(signature[64]);
        return ecrecover(hash, v, r, s) == owner ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
    }
}
