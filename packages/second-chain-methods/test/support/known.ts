/**
 * Transactions of rare kinds and forms from real chains, with their hashes on the chain. The hashes of the same
 * transactions with the query bit come from the sequencer's tests. Signatures are left out, because no hash covers
 * them.
 *
 * Sources: starkware-libs/sequencer, crates/starknet_api/resources/transaction_hash.json (block numbers there);
 * eqlabs/pathfinder, the tests of crates/common/src/transaction.rs.
 */
import type { Json } from "./hashed.ts"

export interface Known {
  readonly what: string
  readonly chainId: string
  readonly json: Json
  readonly hash: string
  /** Hash of the same transaction with the query bit. */
  readonly query?: string
}

const MAINNET = "0x534e5f4d41494e"
const GOERLI = "0x534e5f474f45524c49"

const signed = { signature: [] }
const early3 = (l1_gas: Json) => ({
  version: "0x3",
  resource_bounds: { l1_gas, l2_gas: { max_amount: "0x0", max_price_per_unit: "0x0" } },
  tip: "0x0",
  paymaster_data: [],
  nonce_data_availability_mode: "L1",
  fee_data_availability_mode: "L1",
  ...signed
})

const invoke3 = {
  type: "INVOKE",
  ...early3({ max_amount: "0xa9e", max_price_per_unit: "0x7f2a1ad4f2f1" }),
  account_deployment_data: [],
  calldata: [
    "0x1",
    "0x4c0a5193d58f74fbace4b74dcf65481e734ed1714121bdc571da345540efa05",
    "0x3943907ef0ef6f9d2e2408b05e520a66daaf74293dbf665e5a20b117676170e",
    "0x2",
    "0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7",
    "0x16345785d8a0000"
  ],
  nonce: "0x9d",
  sender_address: "0x69c0f9bcd79697bdceaf7748e3ff8f34aa39e4063ce44896af664c0c96f6c10"
}

export const known: ReadonlyArray<Known> = [
  {
    what: "INVOKE v0, block 206864",
    chainId: MAINNET,
    json: {
      type: "INVOKE",
      version: "0x0",
      ...signed,
      calldata: [
        "0x1",
        "0x16ba3e98d91e73aa2037bf80fa55f82be38211530632dc7e9ac47223688e34e",
        "0xf2f7c15cbe06c8d94597cd91fd7f3369eae842359235712def5584f8d270cd",
        "0x0",
        "0x1",
        "0x1",
        "0x33434ad846cdd5f23eb73ff09fe6fddd568284a0fb7d1be20ee482f044dabe2",
        "0x0"
      ],
      contract_address: "0x16ba3e98d91e73aa2037bf80fa55f82be38211530632dc7e9ac47223688e34e",
      entry_point_selector: "0x15d40a3d6ca2ac30f4031e42be28da9b056fef9bb7357ac5e85627ee876e5ad",
      max_fee: "0x892a33adefe4"
    },
    hash: "0x7b199bef92f4d2dc7713c53927060b3388ccd6873dc084ee7c12cdac4209d3b",
    query: "0x3ac7f2ee20a3b32988b812dcfba3ace9d4f87702d2dc09ecdf3dabb15bf5b6e"
  },
  {
    what: "INVOKE v3, block 636864",
    chainId: MAINNET,
    json: invoke3,
    hash: "0x1d4735f4ba73a67be2f648d9b21cab3783383b8c229566b46b027c46012219",
    query: "0x63548034064bb4bc4aff845f0350e286e695225480627c1048d3216735bc9af"
  },
  {
    what: "INVOKE v3, the same with facts for a proof (of the sequencer's tests, not of the chain)",
    chainId: MAINNET,
    json: { ...invoke3, proof_facts: ["0x1", "0x2", "0x3"] },
    hash: "0x6d885b1a2b7cb7946480c63aa1697888a33e9ccd0b1516f41c41731a1628726",
    query: "0x4f6d9d6a88c714904736ad22f9ebda8fa93958c6a3be3bd23a5a0d7b6e67668"
  },
  {
    what: "DECLARE v0, block 2700",
    chainId: MAINNET,
    json: {
      type: "DECLARE",
      version: "0x0",
      ...signed,
      class_hash: "0x7319e2f01b0947afd86c0bb0e95029551b32f6dc192c47b2e8b08415eebbc25",
      max_fee: "0x0",
      sender_address: "0x1"
    },
    hash: "0x2f2ef64daffdc72bf33b34ad024891691b8eb1d0ab70cc7f8fb71f6fd5e1f22",
    query: "0x29486d2b24527399b8e6d00d36554c9b5af4262da1ef79a5550a9ee8702ff7"
  },
  {
    what: "DECLARE v1, block 346864",
    chainId: MAINNET,
    json: {
      type: "DECLARE",
      version: "0x1",
      ...signed,
      class_hash: "0x4dae654c7b6707667a178729b512d61494fe590ab4accc46923d6409b97e617",
      max_fee: "0x1f04d0693837",
      nonce: "0x15",
      sender_address: "0x3e2a6434cebce4475cdf8843859f2137259918171eba8d462e3d34c5c4fd110"
    },
    hash: "0x70fb3ea4b786b752817a32d4835eaba19da495392df90f7f827cd9b60b2c925",
    query: "0x67ca9b823b4da32b06ec58ee1b2e87684d64f083b97b6bc14f64b5ef76533c2"
  },
  {
    what: "DECLARE v2, block 446864",
    chainId: MAINNET,
    json: {
      type: "DECLARE",
      version: "0x2",
      ...signed,
      class_hash: "0x4d90a3b52871831b34bc936d9aee304b7205202e649dceef5ee4392659ab33",
      compiled_class_hash: "0x3c1296b5f7e6a30bc0167bf30e0700eebb2e9a06228e24cc3ad386502125bcf",
      max_fee: "0xb48df232e93750",
      nonce: "0x1f9",
      sender_address: "0x75341b8090a4257f22dafffe3a4cb882006bd26302720d6a80a1fde154a3430"
    },
    hash: "0x7debe525c66a929048236c8f6da5903e4f141e5cb5e6cb23e9af33ecaabe062",
    query: "0x147b15cef8590ac21e43629bc7c99a8570b08a2b5675c4ee7cc2931e834b032"
  },
  {
    what: "DECLARE v3, block 630721",
    chainId: MAINNET,
    json: {
      type: "DECLARE",
      ...early3({ max_amount: "0xe38c2", max_price_per_unit: "0x24e2649cc098" }),
      account_deployment_data: [],
      class_hash: "0x7a9d1cd5dcf3d47b10e638eb1330d101f7d471f08eff9664b42dfa90f6973bf",
      compiled_class_hash: "0x4fc6444f59a2fb0b2c67e1e22caba0edc3b48727e8a9cc19e59e5c3e5dc8270",
      nonce: "0x3",
      sender_address: "0x46d3a562c606077c14c3479946e4145b7a372538875eb4e635e758fcd1d2c80"
    },
    hash: "0x50ca961fd1b5f7f1ea1e8620ac980cc3c3fb4e434f0661c3a2d50893082b9fb",
    query: "0x71aa91a887080fa2fb1e473713123dca182eae42433c5422bbada8125819dc9"
  },
  {
    what: "DEPLOY_ACCOUNT v1, block 636864",
    chainId: MAINNET,
    json: {
      type: "DEPLOY_ACCOUNT",
      version: "0x1",
      ...signed,
      class_hash: "0x13bfe114fb1cf405bfc3a7f8dbe2d91db146c17521d40dcf57e16d6b59fa8e6",
      constructor_calldata: ["0x54c617a2e91df5344958e0eb2c30c58a1134b3f8e59e88deba60a24f95c0a2c"],
      contract_address_salt: "0x54c617a2e91df5344958e0eb2c30c58a1134b3f8e59e88deba60a24f95c0a2c",
      max_fee: "0x3a23c71d8b9",
      nonce: "0x0"
    },
    hash: "0x40e7ac7efc374f3d1241c6f991de2ea534d84e8be307420658353527226c5e4",
    query: "0xbdaff4caa84e6d32cfd7ff9b51c04d398df9bfeaa5ba3d4fafd327e4e8840e"
  },
  {
    what: "DEPLOY_ACCOUNT v3, block 636864",
    chainId: MAINNET,
    json: {
      type: "DEPLOY_ACCOUNT",
      ...early3({ max_amount: "0x4c", max_price_per_unit: "0x8ab967606cb9" }),
      class_hash: "0x13bfe114fb1cf405bfc3a7f8dbe2d91db146c17521d40dcf57e16d6b59fa8e6",
      constructor_calldata: ["0x1f218cfa725d1679ff028c53d094a765dfd1de632787cab37ffe10f3915dcc7"],
      contract_address_salt: "0x1f218cfa725d1679ff028c53d094a765dfd1de632787cab37ffe10f3915dcc7",
      nonce: "0x0"
    },
    hash: "0x25cbbc1e197e1e6dd8886b4b359c2dbe26245a282547624d7e54e7c3e2cf15",
    query: "0xe035fefb0a5f799d4c4b651f86937a848e1394fb161c80148024e143f6839c"
  },
  {
    what: "DEPLOY v0, block 6864",
    chainId: MAINNET,
    json: {
      type: "DEPLOY",
      version: "0x0",
      class_hash: "0x25ec026985a3bf9d0cc1fe17326b245dfdc3ff89b8fde106542a3ea56c5a918",
      constructor_calldata: [
        "0x3e327de1c40540b98d05cbcb13552008e36f0ec8d61d46956d2f9752c294328",
        "0x79dc0da7c54b95f10aa182ad0a46400db63156920adb65eca2654c0945a463",
        "0x2",
        "0x77d0eb177b763933debc8596399528e720951662ad078752302f9c447fa59ef",
        "0x0"
      ],
      contract_address_salt: "0x77d0eb177b763933debc8596399528e720951662ad078752302f9c447fa59ef"
    },
    hash: "0x44ce170a27953fec1809b3d2a03a44ad6b475355748a5f1c01db972f20b295e",
    query: "0x457120e60bc4a88d54bbc96046b71366c9fc35c7834d0b52d6cc314c4e075e0"
  },
  {
    what: "L1_HANDLER v0, block 546864",
    chainId: MAINNET,
    json: {
      type: "L1_HANDLER",
      version: "0x0",
      calldata: [
        "0xae0ee0a63a2ce6baeeffe56e7714fb4efe48d419",
        "0x455448",
        "0xc27947400e26e534e677afc2e9b2ec1bab14fc89",
        "0x4af4754baf89f1b8b449215a8ea7ce558824a33a5393eaa3829658549f2bfa2",
        "0x9184e72a000",
        "0x0"
      ],
      contract_address: "0x73314940630fd6dcda0d772d4c972c4e0a9946bef9dabf4ef84eda8ef542b82",
      entry_point_selector: "0x1b64b1b3b690b43b9b514fb81377518f4039cd3e4f4914d8a6bdf01d679fb19",
      nonce: "0x18e94d"
    },
    hash: "0x439e12f67962c353182d72b4af12c3f11eaba4b36e552aebcdcd6db66971bdb",
    query: "0x6eeda9cad938237b5587dcc7205b606b84d29f9624e08f045c0bbd05abbf430"
  },
  {
    what: "L1_HANDLER v0 as hashed in Starknet 0.7",
    chainId: MAINNET,
    json: {
      type: "L1_HANDLER",
      version: "0x0",
      calldata: [
        "0x142273bcbfca76512b2a05aed21f134c4495208",
        "0xa0c316cb0bb0c9632315ddc8f49c7921f2c80daa",
        "0x2",
        "0x453b0310bcdfa50d3c2e7f757e284ac6cd4171933a4e67d1bdcfdbc7f3cbc93"
      ],
      contract_address: "0xda8054260ec00606197a4103eb2ef08d6c8af0b6a808b610152d1ce498f8c3",
      entry_point_selector: "0xe3f5e9e1456ffa52a3fbc7e8c296631d4cc2120c0be1e2829301c0d8fa026b",
      nonce: "0x0"
    },
    hash: "0x61b518bb1f97c49244b8a7a1a984798b4c2876d42920eca2b6ba8dfb1bddc54"
  },
  {
    what: "L1_HANDLER v0 as hashed at first, like an INVOKE",
    chainId: GOERLI,
    json: {
      type: "L1_HANDLER",
      version: "0x0",
      calldata: ["0x2db8c2615db39a5ed8750b87ac8f217485be11ec", "0xbc614e", "0x258"],
      contract_address: "0x55a46448decca3b138edf0104b7a47d41365b8293bdfd59b03b806c102b12b7",
      entry_point_selector: "0xc73f681176fc7b3f9693986fd7b14581e8d540519e27400e88b8713932be01",
      nonce: "0x0"
    },
    hash: "0xfb118dc1d4a4141b7718da4b7fa98980b11caf5aa5d6e1e35e9b050aae788b"
  },
  {
    what: "DEPLOY v0 as hashed at first",
    chainId: GOERLI,
    json: {
      type: "DEPLOY",
      version: "0x0",
      contract_address: "0x2f40faa63fdd5871415b2dcfb1a5e3e1ca06435b3dda6e2ba9df3f726fd3251",
      contract_address_salt: "0x7284a0367fdd636434f76da25532785690d5f27db40ba38b0cfcbc89a472507",
      constructor_calldata: [
        "0x635b73abaa9efff71570cb08f3e5014424788470c3b972b952368fb3fc27cc3",
        "0x7e92479a573a24241ee6f3e4ade742ff37bae4a60bacef5be1caaff5e7e04f3"
      ],
      class_hash: "0x10455c752b86932ce552f2b0fe81a880746649b9aee7e0d842bf3f52378f9f8"
    },
    hash: "0x45c61314be4da85f0e13df53d18062e002c04803218f08061e4b274d4b38537"
  },
  {
    what: "INVOKE v0 as hashed at first",
    chainId: GOERLI,
    json: {
      type: "INVOKE",
      version: "0x0",
      ...signed,
      max_fee: "0x0",
      contract_address: "0x639322e9822149638b70f6de65bc18f3563bd6fa16f0106e8162618eb72f7e",
      calldata: [
        "0x49e2e40a0b61a4d6fe4c85cbbf61b5ba372427c852f88509350c4b1eeb88426",
        "0x2",
        "0x1576521d9ed09609f55b86740de4ae6abdb2837d5d960ae71083ccd39c715d2",
        "0x6897cf3003dc45dd016a34ee4309fc97f3bd471513553e64bc070b4eedf4eae"
      ],
      entry_point_selector: "0x317eb442b72a9fae758d4fb26830ed0d9f31c8e7da4dbff4e8c59ea6a158e7f"
    },
    hash: "0x493d8fab73af67e972788e603aee18130facd3c7685f16084ecd98b07153e24"
  }
]
