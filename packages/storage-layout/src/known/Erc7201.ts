/**
 * Namespaces of ERC-7201 that many contracts share: those of OpenZeppelin's upgradeable contracts since 5.0.
 *
 * Source: openzeppelin-contracts-upgradeable 5.7. No compiler's layout lists them.
 */
import type { Layout } from "../layout/Layout.ts"
import * as Declared from "./declared.ts"

/**
 * A layout with these namespaces and no variables. Only the source of a contract shows which namespaces the contract
 * uses. In a namespace that the contract does not use, every variable is zero.
 *
 * ```ts import.meta.vitest
 * import { Erc7201, Location } from "@plumbline/storage-layout"
 * import { Result } from "effect"
 *
 * const owner = `erc7201("openzeppelin.storage.Ownable")._owner`
 * const { slot } = Result.getOrThrow(Location.locate(Erc7201.openZeppelin, owner))
 * slot // => 0x9016d09d72d40fdae2fd8ceac6b6234c7706214fd39c1cd1e609a0528c199300n
 * ```
 */
export const openZeppelin: Layout = /* @__PURE__ */ Declared.layout({
  structs: {
    RoleData: ["mapping(address => bool) hasRole", "bytes32 adminRole"],
    RoyaltyInfo: ["address receiver", "uint96 royaltyFraction"]
  },
  namespaces: {
    "openzeppelin.storage.Initializable": ["uint64 _initialized", "bool _initializing"],
    "openzeppelin.storage.Ownable": ["address _owner"],
    "openzeppelin.storage.Ownable2Step": ["address _pendingOwner"],
    "openzeppelin.storage.AccessControl": ["mapping(bytes32 => RoleData) _roles"],
    "openzeppelin.storage.AccessControlDefaultAdminRules": [
      "address _pendingDefaultAdmin",
      "uint48 _pendingDefaultAdminSchedule",
      "uint48 _currentDelay",
      "address _currentDefaultAdmin",
      "uint48 _pendingDelay",
      "uint48 _pendingDelaySchedule"
    ],
    "openzeppelin.storage.AccessManaged": ["address _authority", "bool _consumingSchedule"],
    "openzeppelin.storage.Pausable": ["bool _paused"],
    "openzeppelin.storage.Nonces": ["mapping(address => uint256) _nonces"],
    "openzeppelin.storage.EIP712": ["bytes32 _hashedName", "bytes32 _hashedVersion", "string _name", "string _version"],
    "openzeppelin.storage.ERC20": [
      "mapping(address => uint256) _balances",
      "mapping(address => mapping(address => uint256)) _allowances",
      "uint256 _totalSupply",
      "string _name",
      "string _symbol"
    ],
    "openzeppelin.storage.ERC20Capped": ["uint256 _cap"],
    "openzeppelin.storage.ERC4626": ["address _asset", "uint8 _underlyingDecimals"],
    "openzeppelin.storage.ERC721": [
      "string _name",
      "string _symbol",
      "mapping(uint256 => address) _owners",
      "mapping(address => uint256) _balances",
      "mapping(uint256 => address) _tokenApprovals",
      "mapping(address => mapping(address => bool)) _operatorApprovals"
    ],
    "openzeppelin.storage.ERC721Enumerable": [
      "mapping(address => mapping(uint256 => uint256)) _ownedTokens",
      "mapping(uint256 => uint256) _ownedTokensIndex",
      "uint256[] _allTokens",
      "mapping(uint256 => uint256) _allTokensIndex"
    ],
    "openzeppelin.storage.ERC721URIStorage": ["mapping(uint256 => string) _tokenURIs"],
    "openzeppelin.storage.ERC1155": [
      "mapping(uint256 => mapping(address => uint256)) _balances",
      "mapping(address => mapping(address => bool)) _operatorApprovals",
      "string _uri"
    ],
    "openzeppelin.storage.ERC1155Supply": ["mapping(uint256 => uint256) _totalSupply", "uint256 _totalSupplyAll"],
    "openzeppelin.storage.ERC2981": [
      "RoyaltyInfo _defaultRoyaltyInfo",
      "mapping(uint256 => RoyaltyInfo) _tokenRoyaltyInfo"
    ],
    "openzeppelin.storage.TimelockController": ["mapping(bytes32 => uint256) _timestamps", "uint256 _minDelay"],
    "openzeppelin.storage.VestingWallet": [
      "uint256 _released",
      "mapping(address => uint256) _erc20Released",
      "uint64 _start",
      "uint64 _duration"
    ]
  }
})
