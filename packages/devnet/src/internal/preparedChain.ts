/** Written by scripts/make-state.ts. The keys are PUBLIC TEST KEYS. */
import type * as PreparedState from "../PreparedState.ts"

export const preparedChain: {
  readonly chainId: number
  readonly contracts: typeof PreparedState.contracts
  readonly accounts: typeof PreparedState.accounts
  readonly blocks: typeof PreparedState.blocks
} = {
  chainId: 31337,
  contracts: {
    token: {
      name: "Token",
      source: "contracts/Token.sol",
      address: "0x5fbdb2315678afecb367f032d93f642f64180aa3",
      block: 1
    },
    cabinet: {
      name: "Cabinet",
      source: "contracts/Cabinet.sol",
      address: "0x2279b7a0a67db372996a5fab50d91eaa73d2ebe6",
      block: 11
    },
    counter: {
      name: "Counter",
      source: "contracts/Counter.sol",
      address: "0xe7f1725e7734ce288f8367e1bb143e90bb3f0512",
      block: 2
    },
    counterV2: {
      name: "CounterV2",
      source: "contracts/Counter.sol",
      address: "0x0165878a594ca255338adfa4d48449f69242eb8f",
      block: 8
    },
    proxy: {
      name: "Proxy",
      source: "contracts/Proxy.sol",
      address: "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
      block: 2
    }
  },
  accounts: [
    {
      address: "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
      publicTestKey: "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"
    },
    {
      address: "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
      publicTestKey: "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d"
    },
    {
      address: "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
      publicTestKey: "0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a"
    },
    {
      address: "0x90f79bf6eb2c4f870365e785982e1f101e93b906",
      publicTestKey: "0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6"
    },
    {
      address: "0x15d34aaf54267db7d7c367839aaf71a00a2c6a65",
      publicTestKey: "0x47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a"
    },
    {
      address: "0x9965507d1a55bcc2695c58ba16fb37d819b0a4dc",
      publicTestKey: "0x8b3a350cf5c34c9194ca85829a2df0ec3153be0318b5e2d3348e872092edffba"
    },
    {
      address: "0x976ea74026e726554db657fa54763abd0c3a0aa9",
      publicTestKey: "0x92db14e403b83dfe3df233f83dfa3a0d7096f21ca9b0d6d6b8d88b2b4ec1564e"
    },
    {
      address: "0x14dc79964da2c08b23698b3d3cc7ca32193d9955",
      publicTestKey: "0x4bbbf85ce3377467afe5d46f804f221813b2bb87f24d81f60f1fcdbf7cbf4356"
    },
    {
      address: "0x23618e81e3f5cdf7f54c3d65f7fbc0abf5b21e8f",
      publicTestKey: "0xdbda1821b80551c9d65939329250298aa3472ba22feea921c0cf5d620ea67b97"
    },
    {
      address: "0xa0ee7a142d267c1f36714e4a8f75612f20a79720",
      publicTestKey: "0x2a871d0798f97d79848a013d4936a73bf4cc922c825d33c1cf7073dff6d409c6"
    }
  ],
  blocks: [
    {
      number: 0,
      hash: "0x4a851a0e8ddeaa7820f27388fd42043ba2fda5551f3e64fb5857b265f0dde4cd",
      timestamp: 1767225600,
      title: "Genesis",
      transactions: []
    },
    {
      number: 1,
      hash: "0x21a77b8e8fa63fde319a17b754fe90b9d86008865fc3874be96517f6eb16baaf",
      timestamp: 1767225612,
      title: "Token is deployed",
      transactions: [
        {
          hash: "0x59d86c5ed1b3816b901460a198b02d881ef3b1ce9d4d9d8f9fc8e850e123b58c",
          form: "dynamicFee",
          type: "0x2",
          from: "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
          to: null,
          success: true,
          title: "deploy Token"
        }
      ]
    },
    {
      number: 2,
      hash: "0xf4e6a3c4bc346e49b5f934048e81a4fb8cc32895790a6d7da91e1fd3abbc3280",
      timestamp: 1767225624,
      title: "Counter is deployed, and Proxy in front of it",
      transactions: [
        {
          hash: "0x0740b8c9428e48d73793809a367fccdab3937c0d7994867dccf880f53123101d",
          form: "legacy",
          type: "0x0",
          from: "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
          to: null,
          success: true,
          title: "deploy Counter"
        },
        {
          hash: "0x69a53700df26b692f70d1f811491ec5b70954ad33060632e5483a9c8e8802f19",
          form: "dynamicFee",
          type: "0x2",
          from: "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
          to: null,
          success: true,
          title: "deploy Proxy"
        }
      ]
    },
    {
      number: 3,
      hash: "0x617402c7ee5c0b99e7e1e4b0c844ca0f177c7164cc89692d9077ff199690eb0d",
      timestamp: 1767225636,
      title: "Tokens are handed out, by transactions of three types",
      transactions: [
        {
          hash: "0x03c2671af0b2ece1e08e6c5194f04bc2e9720bee07ce0a53ac8efe968405bab0",
          form: "legacy",
          type: "0x0",
          from: "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
          to: "0x5fbdb2315678afecb367f032d93f642f64180aa3",
          success: true,
          title: "1000 PLUMB to Ada"
        },
        {
          hash: "0x2cffa5103e98354542d64263c06b3a85eb442c4c157104f6be60d677eed09797",
          form: "accessList",
          type: "0x1",
          from: "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
          to: "0x5fbdb2315678afecb367f032d93f642f64180aa3",
          success: true,
          title: "2000 PLUMB to Bob"
        },
        {
          hash: "0xc5ae7eb73099cf6eb3ac80a9ebda0a3d99ffedf6a69be1ad3d2e61f12b429b4b",
          form: "dynamicFee",
          type: "0x2",
          from: "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
          to: "0x5fbdb2315678afecb367f032d93f642f64180aa3",
          success: true,
          title: "3000 PLUMB to Cleo"
        }
      ]
    },
    {
      number: 4,
      hash: "0xac501270fb5ed6f066be75d493b6a810514afc11941b9c82f29a89b1dee803a8",
      timestamp: 1767225648,
      title: "An empty block",
      transactions: []
    },
    {
      number: 5,
      hash: "0xa5910a88b200dc77725aedcc0ab2fe8fbc74d13a9d74983c2a7b60c227a45a3e",
      timestamp: 1767225660,
      title: "An allowance is given and spent, ether moves",
      transactions: [
        {
          hash: "0xbc4a0301db58edbbcbf55e148307c273a8d937647d5b20ea1edc0eef35c8efdb",
          form: "dynamicFee",
          type: "0x2",
          from: "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
          to: "0x5fbdb2315678afecb367f032d93f642f64180aa3",
          success: true,
          title: "Ada lets Bob spend 500 PLUMB"
        },
        {
          hash: "0xc6b38d80dacfa35e26c2799c2abf774eadf1031ecff03cafc6a6ab04a907dcf7",
          form: "legacy",
          type: "0x0",
          from: "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
          to: "0x5fbdb2315678afecb367f032d93f642f64180aa3",
          success: true,
          title: "Bob spends 120 of them"
        },
        {
          hash: "0x2c32d55cd1df94ae1a384661cf96349af42527ae2233284c37eebc1ea71d9840",
          form: "legacy",
          type: "0x0",
          from: "0x15d34aaf54267db7d7c367839aaf71a00a2c6a65",
          to: "0x00000000000000000000000000000000decaf000",
          success: true,
          title: "1 ether to a new account, signed without a chain id"
        },
        {
          hash: "0xbdd21b9c57ea4a0341cbe981faa013e6b8c3344a53fedebccb83e24b66884a45",
          form: "dynamicFee",
          type: "0x2",
          from: "0x15d34aaf54267db7d7c367839aaf71a00a2c6a65",
          to: "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
          success: true,
          title: "A message to Ada"
        }
      ]
    },
    {
      number: 6,
      hash: "0x70c6a7fa5cf75aa123ab0ba3b3895b1f9148aa987e707d9a114db808070ba41f",
      timestamp: 1767225672,
      title: "Cleo's account delegates to Counter (EIP-7702), Dan pays",
      transactions: [
        {
          hash: "0xb2e60bd3e549673734d6415753faae5bccfb62279fae80d7529c76c39d437426",
          form: "setCode",
          type: "0x4",
          from: "0x15d34aaf54267db7d7c367839aaf71a00a2c6a65",
          to: "0x90f79bf6eb2c4f870365e785982e1f101e93b906",
          success: true,
          title: "Cleo's authorization, with a first call"
        }
      ]
    },
    {
      number: 7,
      hash: "0x6ba683c90aea1c57cfb9b7980e090d745a5844021d4bf0dc3741913819655ec5",
      timestamp: 1767225684,
      title: "Cleo's account is called like a contract; counting through the proxy",
      transactions: [
        {
          hash: "0x01d531793890a6ac6c014feb405ae31651ea6c928500e4caf4d9fcb741896d64",
          form: "dynamicFee",
          type: "0x2",
          from: "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
          to: "0x90f79bf6eb2c4f870365e785982e1f101e93b906",
          success: true,
          title: "increment at Cleo"
        },
        {
          hash: "0x0ec65db25d3cb134d9a591dfb8181ac2156e34fcda941ffa2a5b26e3c112d869",
          form: "dynamicFee",
          type: "0x2",
          from: "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
          to: "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
          success: true,
          title: "increment at the proxy by Ada"
        },
        {
          hash: "0x1eba46a21117c1f56cfae69f45c1a9c3bae00b4924f82c506e6acd4278fdbdfe",
          form: "legacy",
          type: "0x0",
          from: "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
          to: "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
          success: true,
          title: "increment at the proxy by Bob"
        }
      ]
    },
    {
      number: 8,
      hash: "0x9552262d1886ddb6cc4609d33fd8aef779653ea5301985a32b40a94dbc9192a5",
      timestamp: 1767225696,
      title: "CounterV2 is deployed and the proxy upgraded to it",
      transactions: [
        {
          hash: "0x36d1900e9098dc85bea76adbe86ec47a3c6dba9bab6654fc4513dca47040400a",
          form: "accessList",
          type: "0x1",
          from: "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
          to: null,
          success: true,
          title: "deploy CounterV2"
        },
        {
          hash: "0x5b05355d53782c2aec47f9a93d11847f761cd19ed99e684847f8c6704e73378d",
          form: "dynamicFee",
          type: "0x2",
          from: "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
          to: "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
          success: true,
          title: "upgradeToAndCall"
        }
      ]
    },
    {
      number: 9,
      hash: "0x31cea15debf72ee7b50bc9add48f2a4bc7269ab662d7d684398f1210109f0e70",
      timestamp: 1767225708,
      title: "Two transactions fail and one does not",
      transactions: [
        {
          hash: "0xe99db203dd7aac4e6f8bf0c6a8f58f0e6ef6b201ef2baa53f895e4119d73648c",
          form: "dynamicFee",
          type: "0x2",
          from: "0x15d34aaf54267db7d7c367839aaf71a00a2c6a65",
          to: "0x5fbdb2315678afecb367f032d93f642f64180aa3",
          success: false,
          title: "Dan has no 9999 PLUMB"
        },
        {
          hash: "0xeb6da1e5896f0fd7ec7ff785277e46b699c3112299ad210094f1e02cd917d71b",
          form: "legacy",
          type: "0x0",
          from: "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
          to: "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
          success: false,
          title: "Only the admin may upgrade"
        },
        {
          hash: "0x4a93c776050fe2204ade199dd80e99c3869d19b8d7813b8abb433f0e3ecc9650",
          form: "dynamicFee",
          type: "0x2",
          from: "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
          to: "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
          success: true,
          title: "advance"
        }
      ]
    },
    {
      number: 10,
      hash: "0x3a9fd18b358ed2985a3efd0c138cf4811b55fd7d56ce8ec52c378d6c00209ad6",
      timestamp: 1767225720,
      title: "Another empty block",
      transactions: []
    },
    {
      number: 11,
      hash: "0xcbad339056ec698db7e16629066ea2753457a301fb01af7ff2066c4f65e58a64",
      timestamp: 1767225732,
      title: "Cabinet is deployed",
      transactions: [
        {
          hash: "0xfb28eb4b3b19daf3e0f558cd028fda61d179e323fffa487ea0ad88e163efbab0",
          form: "dynamicFee",
          type: "0x2",
          from: "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
          to: null,
          success: true,
          title: "deploy Cabinet"
        }
      ]
    },
    {
      number: 12,
      hash: "0x4858b15587adddbb0512c291ea9a76f4e23dde112ecf864dc9d37648825833cf",
      timestamp: 1767225744,
      title: "The cabinet is opened and filled",
      transactions: [
        {
          hash: "0xdab3ecb31496b73c3622556b50f8fdbd64435ff2db8c20de7fb287d99509050a",
          form: "dynamicFee",
          type: "0x2",
          from: "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
          to: "0x2279b7a0a67db372996a5fab50d91eaa73d2ebe6",
          success: true,
          title: "open"
        },
        {
          hash: "0x84e5050f5a72ec5a7b6910f273d991efd3a48b841fe58ba87e14238f14a9e4ac",
          form: "dynamicFee",
          type: "0x2",
          from: "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
          to: "0x2279b7a0a67db372996a5fab50d91eaa73d2ebe6",
          success: true,
          title: "fill"
        },
        {
          hash: "0x425f944046ef490eb9f7d0d830996ba87ce2d2f53d266541548efd0331fed7fb",
          form: "accessList",
          type: "0x1",
          from: "0x90f79bf6eb2c4f870365e785982e1f101e93b906",
          to: "0x2279b7a0a67db372996a5fab50d91eaa73d2ebe6",
          success: true,
          title: "write"
        }
      ]
    },
    {
      number: 13,
      hash: "0xf5aed4123180d8fe411b84e1664f29a85c1211f5318663757ce337a8168c3768",
      timestamp: 1767225756,
      title: "People join the cabinet",
      transactions: [
        {
          hash: "0x11d31ab53e4d2df9bcd907718790bba3cc9c55e00cf9ef02cadf55eff79c8c66",
          form: "dynamicFee",
          type: "0x2",
          from: "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
          to: "0x2279b7a0a67db372996a5fab50d91eaa73d2ebe6",
          success: true,
          title: "Ada joins"
        },
        {
          hash: "0xff077ebd135a8e17fe5f3034a1e175dfde8feb521245b40a9a7b5673b9869374",
          form: "accessList",
          type: "0x1",
          from: "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
          to: "0x2279b7a0a67db372996a5fab50d91eaa73d2ebe6",
          success: true,
          title: "Bob joins, with a long name"
        },
        {
          hash: "0xc7c38082d6a1588ce31ac40c454fa6b33768e825cf336df49fa490a3eab5a19c",
          form: "legacy",
          type: "0x0",
          from: "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
          to: "0x2279b7a0a67db372996a5fab50d91eaa73d2ebe6",
          success: true,
          title: "Ada votes"
        }
      ]
    },
    {
      number: 14,
      hash: "0xed1f92b118b3fd5fcf110dc20a7e984a00ad7d43e4b6c91e33119c96cf6f801c",
      timestamp: 1767225768,
      title: "All four types in one block; one authorization is stale",
      transactions: [
        {
          hash: "0xb602355acb208add316f6f148290b24419d8ead61661f465f173b45094e6112f",
          form: "setCode",
          type: "0x4",
          from: "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
          to: "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
          success: true,
          title: "Bob delegates to Counter himself; Cleo's authorization has a used nonce and is skipped"
        },
        {
          hash: "0xfa473fc42283a2bd60c661a47135f279f3f4e187025a9a073df68d55e60123ab",
          form: "dynamicFee",
          type: "0x2",
          from: "0x90f79bf6eb2c4f870365e785982e1f101e93b906",
          to: "0x2279b7a0a67db372996a5fab50d91eaa73d2ebe6",
          success: true,
          title: "mention"
        },
        {
          hash: "0xbc3b751445d36c990eeb239597281635143c76b488b7cfed1b65a3e97ce31e23",
          form: "accessList",
          type: "0x1",
          from: "0x90f79bf6eb2c4f870365e785982e1f101e93b906",
          to: "0x2279b7a0a67db372996a5fab50d91eaa73d2ebe6",
          success: true,
          title: "place"
        },
        {
          hash: "0x4ea8119f1fceb9edb5889de2f4a3b855b4a025f6dcf9c3bdd9e6a8f44a68845e",
          form: "legacy",
          type: "0x0",
          from: "0x15d34aaf54267db7d7c367839aaf71a00a2c6a65",
          to: "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
          success: true,
          title: "2 ether to Ada"
        }
      ]
    },
    {
      number: 15,
      hash: "0xf6d9d0c7e0216dbef72a86d66f6a19e0a5843a5733dfcd8adb1d70c4d995802d",
      timestamp: 1767225780,
      title: "The cabinet is closed, Bob is removed",
      transactions: [
        {
          hash: "0x99886e6e106bacab7150459264cba7b70b052ba1f961628e772cade522dd59e3",
          form: "dynamicFee",
          type: "0x2",
          from: "0x90f79bf6eb2c4f870365e785982e1f101e93b906",
          to: "0x2279b7a0a67db372996a5fab50d91eaa73d2ebe6",
          success: true,
          title: "mention, with a key longer than a slot"
        },
        {
          hash: "0x10655a1f18905bd67e2580fd8ead2845fdd9bc1f383060bee09c5af4274f5989",
          form: "dynamicFee",
          type: "0x2",
          from: "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
          to: "0x2279b7a0a67db372996a5fab50d91eaa73d2ebe6",
          success: true,
          title: "close"
        },
        {
          hash: "0x7b7f732f4ed00b9f43fda985dcb3d01d71e6b4de5666f13cb45f1817b8185e28",
          form: "dynamicFee",
          type: "0x2",
          from: "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
          to: "0x2279b7a0a67db372996a5fab50d91eaa73d2ebe6",
          success: true,
          title: "remove"
        }
      ]
    },
    {
      number: 16,
      hash: "0xfaed68fae6e050e87e47c15216ce791a5d7ed7f7c82de3cd866a6c57b362a2fb",
      timestamp: 1767225792,
      title: "Cleo takes her delegation back",
      transactions: [
        {
          hash: "0x30a5561f65373994a3203e05e57d1408a8acadd30cb9224bf71292d9a6e986b1",
          form: "setCode",
          type: "0x4",
          from: "0x90f79bf6eb2c4f870365e785982e1f101e93b906",
          to: "0x15d34aaf54267db7d7c367839aaf71a00a2c6a65",
          success: true,
          title: "Cleo's authorization for no code"
        }
      ]
    }
  ]
}
