/** Written by scripts/make-history.ts. */
import type * as HistoryChain from "../HistoryChain.ts"

export const historyChain: {
  readonly chainId: number
  /** The Keccak-256 of the archive. */
  readonly archive: string
  readonly forks: typeof HistoryChain.forks
  readonly contracts: typeof HistoryChain.contracts
  readonly blocks: typeof HistoryChain.blocks
} = {
  chainId: 7771,
  archive: "0x412c10c3b96ac1b3ccc524dc2ad07b7e4d61641cc607538324fb243551eb855f",
  forks: [
    { name: "Frontier", block: 0 },
    { name: "Homestead", block: 6 },
    { name: "Tangerine Whistle", block: 12 },
    { name: "Spurious Dragon", block: 15 },
    { name: "Byzantium", block: 18 },
    { name: "Constantinople", block: 23 },
    { name: "Petersburg", block: 26 },
    { name: "Istanbul", block: 28 },
    { name: "Muir Glacier", block: 33 },
    { name: "Berlin", block: 35 },
    { name: "London", block: 39 },
    { name: "Arrow Glacier", block: 44 },
    { name: "Gray Glacier", block: 46 },
    { name: "Paris", block: 50 },
    { name: "Shanghai", block: 53 },
    { name: "Cancun", block: 57 },
    { name: "Prague", block: 61 },
    { name: "Osaka", block: 66 }
  ],
  contracts: {
    elder: {
      name: "Counter",
      source: "contracts/Counter.sol",
      address: "0x0000000000000000000000000000000000e1de12",
      block: 0
    },
    token: {
      name: "Token",
      source: "contracts/Token.sol",
      address: "0x5fbdb2315678afecb367f032d93f642f64180aa3",
      block: 1
    },
    counter: {
      name: "Counter",
      source: "contracts/Counter.sol",
      address: "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
      block: 6
    },
    counterV2: {
      name: "CounterV2",
      source: "contracts/Counter.sol",
      address: "0xc5a5c42992decbae36851359345fe25997f5c42d",
      block: 53
    },
    proxy: {
      name: "Proxy",
      source: "contracts/Proxy.sol",
      address: "0xcf7ed3acca5a467e9e704c703e8d87f634fb0fc9",
      block: 18
    },
    cabinet: {
      name: "Cabinet",
      source: "contracts/Cabinet.sol",
      address: "0x09635f643e140090a9a8dcd712ed6285858cebef",
      block: 28
    }
  },
  blocks: [
    {
      number: 0,
      hash: "0x63c87293c4b669a33f0256b56558bc7563bd3ca1a789c6b0b37440a223d00982",
      timestamp: 1600000000,
      fork: "Frontier",
      title: "Genesis",
      uncles: [],
      transactions: []
    },
    {
      number: 1,
      hash: "0xf5262e8c84fdfd7ba6dc88cbcfbc5f97ad987d5e24a0494726deeffbba6ff213",
      timestamp: 1600000009,
      fork: "Frontier",
      title: "Token is deployed",
      uncles: [],
      transactions: [
        {
          hash: "0xd0737c9c9d31b612137b3a823b77fd68133c926f0b2efca91bb300b2d35809f7",
          type: "0x0",
          success: true,
          title: "deploy Token"
        }
      ]
    },
    {
      number: 2,
      hash: "0xe9f393c12d21430ca3e8f4785314e1a7962a350c810fc74e2d2e78c025ce646a",
      timestamp: 1600000030,
      fork: "Frontier",
      title: "An account that has nothing comes to be; tokens move",
      uncles: [],
      transactions: [
        {
          hash: "0x9e23269d4d31d3443e58b0804f0f92c8ee28afe7e71bccb5eeddb2b6104d3320",
          type: "0x0",
          success: true,
          title: "Nothing to an account that was not there"
        },
        {
          hash: "0x841642bea05d7cdcf2896fcef181021d5c3bb50de53c5d42f19a9eb369c87833",
          type: "0x0",
          success: true,
          title: "1000 PLUMB to Ada"
        }
      ]
    },
    {
      number: 3,
      hash: "0xfe0c60efcc1850bb958eb05b8f2b3f27d6cfd8d690e8959bfa2737064a927365",
      timestamp: 1600000044,
      fork: "Frontier",
      title: "A signature with a high s; the first uncle",
      uncles: ["0x2d7115bffb3c10f6b092fe2b2d0c4bee0ebb2b80dfb4c0968d38a50bea120d2c"],
      transactions: [
        {
          hash: "0xa3f2f10e24df83231a539e0639084e61dd84be2d2673fee89771cba7d1d480ac",
          type: "0x0",
          success: true,
          title: "1 ether to Eve, with a high s"
        }
      ]
    },
    {
      number: 4,
      hash: "0xc6b5d880322119d609bd719f68e290991c590d3710f17c4e3bee8a608808ca0a",
      timestamp: 1600000051,
      fork: "Frontier",
      title: "An empty block",
      uncles: [],
      transactions: []
    },
    {
      number: 5,
      hash: "0x30275b3a4ebee4193fc0324d2ae7f6db1be2cb203cdf34a9785a26e7e8e3ce67",
      timestamp: 1600000068,
      fork: "Frontier",
      title: "A transaction fails and uses up its gas; two uncles, of different heights",
      uncles: [
        "0x8ab582bdf8c70b40d9b38e73f7c9ceb0c771357ac907ea2a2e82024f21c684ae",
        "0x0113ffb8bc0c6b40d267d00b5ac918379501108491a06b13101037322e92bd57"
      ],
      transactions: [
        {
          hash: "0x329d9283e60215e51f15cacbacc554518cb763d75da754d6ea1c3f656293ae3f",
          type: "0x0",
          success: false,
          title: "Dan has no 9999 PLUMB"
        }
      ]
    },
    {
      number: 6,
      hash: "0x9957db428397eb2545ac49067da3619660fe801236a714e3098260ea1ba1b3ea",
      timestamp: 1600000079,
      fork: "Homestead",
      title: "Counter is deployed",
      uncles: [],
      transactions: [
        {
          hash: "0x3ee014716ed09b6106523fa090210d5b6765c771fc7098710cd934fb46c55ee4",
          type: "0x0",
          success: true,
          title: "deploy Counter"
        }
      ]
    },
    {
      number: 7,
      hash: "0x6e1e1d5907e1250b6f7d1ab5fb397d689e947d0b52678b68353ab2a39955695f",
      timestamp: 1600000092,
      fork: "Homestead",
      title: "A contract that will end itself is made; counting begins",
      uncles: [],
      transactions: [
        {
          hash: "0xd2d5dbdf248f1147ebaa1ecbbf2b6e351ee131f5a17d42b93f162fd9d99f7e68",
          type: "0x0",
          success: true,
          title: "deploy a mayfly"
        },
        {
          hash: "0x714f06ba54b01b7b083a6c01a7de004aef286f361a8b5d8650952d3132bb9e79",
          type: "0x0",
          success: true,
          title: "increment by Ada"
        }
      ]
    },
    {
      number: 8,
      hash: "0x270c75affdbc1f4e97bf9e1293994be2f8623fcf1a5cc14e03b410387b8d2f3c",
      timestamp: 1600000101,
      fork: "Homestead",
      title: "The mayfly ends itself; an uncle of the block before",
      uncles: ["0x3eb3536939a021f8f10f4f467dc7aa3cde952efff781485ce4170b2c56dfc987"],
      transactions: [
        {
          hash: "0x714f897042ddb247ceb98274f57af057caf83758622b1a7092fd521795178464",
          type: "0x0",
          success: true,
          title: "End of the mayfly"
        }
      ]
    },
    {
      number: 9,
      hash: "0x804183aad45ad115f43a9b13961af5c25d24c8dfebe63e8dcc7784d647ba3f0d",
      timestamp: 1600000122,
      fork: "Homestead",
      title: "The counter of the genesis goes on counting",
      uncles: [],
      transactions: [
        {
          hash: "0xc9fb8be89887fce618a155bc1ce7f205666482380fa0cfef93e2cf0f6a796524",
          type: "0x0",
          success: true,
          title: "increment at the elder by Ada"
        }
      ]
    },
    {
      number: 10,
      hash: "0xd9524d027339d4b98d79a466edcc7cec82c5686ded09c5bca2e2b32af6d0b944",
      timestamp: 1600000136,
      fork: "Homestead",
      title: "Two uncles of one height",
      uncles: [
        "0x51f3c8aa55ea7c27a3088ef1167b73876ece15d55cc3c3e0dfb2ac7ce503a169",
        "0x8075355e15736a99468a28d407e3bcb13438365ad98df9b8e3bb86f875c8cda6"
      ],
      transactions: [
        {
          hash: "0xcabb7f5967603412ac72fb83921669efbc0ce0b786b06375849acf117b524f78",
          type: "0x0",
          success: true,
          title: "200 PLUMB to Bob"
        }
      ]
    },
    {
      number: 11,
      hash: "0x51d2c06560b7ee770653fc264d8e39c5f9f6a8918ffb9f9c9de37b26a2a2e77b",
      timestamp: 1600000143,
      fork: "Homestead",
      title: "Another empty block",
      uncles: [],
      transactions: []
    },
    {
      number: 12,
      hash: "0x889e269a8f1803759e400271eb13b661e3590df42695fff7f408c480b49c8dec",
      timestamp: 1600000160,
      fork: "Tangerine Whistle",
      title: "An allowance is given",
      uncles: [],
      transactions: [
        {
          hash: "0xcff8ccb2461b9b8ccb92138578c81fc431ffd88e05d9a7bb62fd22b6f786d771",
          type: "0x0",
          success: true,
          title: "Ada lets Bob spend 500 PLUMB"
        }
      ]
    },
    {
      number: 13,
      hash: "0xb7194ceb13023f5db6997d8e7f4a8289b85c5c3b66cea6310015299f81f1919b",
      timestamp: 1600000171,
      fork: "Tangerine Whistle",
      title: "It is spent",
      uncles: [],
      transactions: [
        {
          hash: "0x488ada945ec753161ce967d077252cee724f01598be9898a85d300e609b9bf77",
          type: "0x0",
          success: true,
          title: "Bob spends 120 of them"
        }
      ]
    },
    {
      number: 14,
      hash: "0x45a701a375e97b573f77cb8f3fceffab716443a5414a61753e15089bd4093f02",
      timestamp: 1600000184,
      fork: "Tangerine Whistle",
      title: "Only an uncle",
      uncles: ["0x471b05d55303f0b5b646fcda1ee564ebdb7efd3d45476c7a3a98081d8769c5bf"],
      transactions: []
    },
    {
      number: 15,
      hash: "0x3a422d51d3ec0b59d0c290804687f866fdc26cfc44be4884366b57c83ce8fe82",
      timestamp: 1600000193,
      fork: "Spurious Dragon",
      title: "The first signature with a chain id (EIP-155); the empty account is cleared (EIP-161)",
      uncles: [],
      transactions: [
        {
          hash: "0x98fafc17cf67be493160a631ae9353417c1133e8a02a65db3a4775c7cedc81da",
          type: "0x0",
          success: true,
          title: "Nothing to the account that has nothing"
        },
        {
          hash: "0x2c4d0541ba4ad54ba9e2b14e68d6c8bad9c2a93bb359ebd4fd232d0b2fe31c9e",
          type: "0x0",
          success: true,
          title: "Bob signs without a chain id"
        }
      ]
    },
    {
      number: 16,
      hash: "0xb26ab384bca62b2271d90bb4be9a6dc386467f9d777518800d8f43e71a6b68c9",
      timestamp: 1600000214,
      fork: "Spurious Dragon",
      title: "A message to Ada; an uncle",
      uncles: ["0xaf4265dfb50c02ecd55fa7de681985f4a7c5ceb08a6015b7e9702d638b512e27"],
      transactions: [
        {
          hash: "0xb29171113db1149e0af11ea964a708b05aeb2cadbe9c34fe169cedde1ded21e3",
          type: "0x0",
          success: true,
          title: "A message to Ada"
        }
      ]
    },
    {
      number: 17,
      hash: "0x2604daa8ae15a5f54e26541c5014253a54cc9270871b50772259d5c2af1e52ec",
      timestamp: 1600000228,
      fork: "Spurious Dragon",
      title: "Nothing again",
      uncles: [],
      transactions: []
    },
    {
      number: 18,
      hash: "0x90efd2ec31afa7db1a422fc2578abffbef2b1c61e78174ecb5d92945c383cc96",
      timestamp: 1600000235,
      fork: "Byzantium",
      title: "Proxy is deployed in front of Counter",
      uncles: [],
      transactions: [
        {
          hash: "0x203a2059b7b23f7fcf5e54bd24787703f40888c3d6284013f652158d12dbf6b9",
          type: "0x0",
          success: true,
          title: "deploy Proxy"
        }
      ]
    },
    {
      number: 19,
      hash: "0x6ca6faca3ca4238dc2a6c2b6d846fb5caf31862ea0160eb2e50857cbb1efa212",
      timestamp: 1600000252,
      fork: "Byzantium",
      title: "Counting through the proxy; two transactions fail and say why",
      uncles: [],
      transactions: [
        {
          hash: "0x0313d7ead3d92d64711faadcfde1af08f1056bc6075baf5a13a6fffdd28476f6",
          type: "0x0",
          success: true,
          title: "increment at the proxy by Ada"
        },
        {
          hash: "0x90ff234ae11b271d48c4bd35f937c2634592cac1acbd1e49892dbd6db65472e5",
          type: "0x0",
          success: false,
          title: "Only the admin may upgrade"
        },
        {
          hash: "0xf28ceb8e40d52c318613e4d861f39a9c3496c464ee0755faa4227851bf104908",
          type: "0x0",
          success: false,
          title: "Eve has no PLUMB"
        }
      ]
    },
    {
      number: 20,
      hash: "0xd7b8ec0f239438aa7cfa8bc7d8c05a3de1afec378047ef25a5b06e8b14b580a0",
      timestamp: 1600000263,
      fork: "Byzantium",
      title: "A hundred and thirty transactions",
      uncles: [],
      transactions: [
        {
          hash: "0xd95fc1391a9f11c818f83b3de1fd9b1442495a4a8e1a41ec57cbf23e2bb58154",
          type: "0x0",
          success: true,
          title: "1 wei"
        },
        {
          hash: "0x7bfa2c4ab7dae5e6507c409dec5fb77fd20fbe830b642a6287df131c1c32022b",
          type: "0x0",
          success: true,
          title: "2 wei"
        },
        {
          hash: "0x5d31834876ba770f16f0fd04291fa8a7a92c382baf116a5860cde991ef627af1",
          type: "0x0",
          success: true,
          title: "3 wei"
        },
        {
          hash: "0x8cb6d4ec4a7a7dcabe9c1f534546d7327c7353d9595f96aa43c8713ed30b1566",
          type: "0x0",
          success: true,
          title: "4 wei"
        },
        {
          hash: "0x0d5b8433c2f0d243facbcac9df077a777ca2f3fe34b197676dbfc09d5cbe8749",
          type: "0x0",
          success: true,
          title: "5 wei"
        },
        {
          hash: "0x8386b30c26abce0ed7a8e816d15ccfaad9946af3a3180cbc7d42f95ce7578467",
          type: "0x0",
          success: true,
          title: "6 wei"
        },
        {
          hash: "0x51a7fe3dff630e5287c618b074e9dd8224d8acf6d0c52297ab8714e138b15a2d",
          type: "0x0",
          success: true,
          title: "7 wei"
        },
        {
          hash: "0xacde7684524e35591d04dfffa0330744b98992ab55f1cd1ff8e9f5769b48cc37",
          type: "0x0",
          success: true,
          title: "8 wei"
        },
        {
          hash: "0xc0ec208f62ac7c7772ae7c2ab904c9566bfcf6af496dbd6a23d8ed6e7bfa1ede",
          type: "0x0",
          success: true,
          title: "9 wei"
        },
        {
          hash: "0x264920f8575a54356ca568e8593e68028aeeac53623de20c3457e58f16726e40",
          type: "0x0",
          success: true,
          title: "10 wei"
        },
        {
          hash: "0xbb153a5fd7566b7a37c1e8ffd5c76368aa785f6fbed70a1b4bd6e86d6d8e02df",
          type: "0x0",
          success: true,
          title: "11 wei"
        },
        {
          hash: "0x5fc4fe06d5c100a0d20e357a29ca79d92501910c14896fd4d4e57a5f2c30b45b",
          type: "0x0",
          success: true,
          title: "12 wei"
        },
        {
          hash: "0x6c79397d4d99a6497cd75a627cfca59341483741753fa90c6915c50bb27b197d",
          type: "0x0",
          success: true,
          title: "13 wei"
        },
        {
          hash: "0xacc655b8534936a734e09d2ef5430b47c7bb731f051d86d329bb6e65578dcf7a",
          type: "0x0",
          success: true,
          title: "14 wei"
        },
        {
          hash: "0x9d6f4bdedfff30485cc419b5ae08e3700911f001e895a11905909e90b44e5904",
          type: "0x0",
          success: true,
          title: "15 wei"
        },
        {
          hash: "0x06bcad5e051444b5c64e50a973d95ce5232fc5a93ec5981aa14a9dc9d72372be",
          type: "0x0",
          success: true,
          title: "16 wei"
        },
        {
          hash: "0x3be2b58327f6611e22df3f39c9d7a052bfb466c9a44245864b8ed495f432248e",
          type: "0x0",
          success: true,
          title: "17 wei"
        },
        {
          hash: "0xd7764a6a795be1aacbb30527bee6a8ce176974141e73fdf057e6210175a4b578",
          type: "0x0",
          success: true,
          title: "18 wei"
        },
        {
          hash: "0xdd9290a47ec8a743f472c548b417b4d7db01a20f94339b56b89a197678ae92b7",
          type: "0x0",
          success: true,
          title: "19 wei"
        },
        {
          hash: "0x98b277f93a84c1f847e7dc613faa0ded35fda64089ef64b58983fe3896813c59",
          type: "0x0",
          success: true,
          title: "20 wei"
        },
        {
          hash: "0x0513a2a0769aa9eb11905124dc9a0f73e0740b1e2e1280a563d6df25d253d454",
          type: "0x0",
          success: true,
          title: "21 wei"
        },
        {
          hash: "0x38665559dca24d8e895e9db326a48d223f09c5deb916ad300b9877005ab8bc30",
          type: "0x0",
          success: true,
          title: "22 wei"
        },
        {
          hash: "0x8caff83b28f7bc250108769ce63751f6117acf761bc2d73f2a138a85ee4589e5",
          type: "0x0",
          success: true,
          title: "23 wei"
        },
        {
          hash: "0x604928dc757188ab5518b33c211b2ec573680d8bde196bc87aaa0fd1e1096aea",
          type: "0x0",
          success: true,
          title: "24 wei"
        },
        {
          hash: "0xe720f31f29a7819f8c30df68ee2230fe2be0dea1283b47ccacf61c7389c435a7",
          type: "0x0",
          success: true,
          title: "25 wei"
        },
        {
          hash: "0x9695abb5a4a2013c51b64ca0fe4591fe73eab123bf7bb804c9a24dc1c9388633",
          type: "0x0",
          success: true,
          title: "26 wei"
        },
        {
          hash: "0x7f022826396575f810d555fabdf06f57e0b79940f3b23c24fc7292abeecdbf9f",
          type: "0x0",
          success: true,
          title: "27 wei"
        },
        {
          hash: "0xe6694cc9a32a41d95dce6a66204843d2d06fdc956fb44dbdb7cc275694da8cdd",
          type: "0x0",
          success: true,
          title: "28 wei"
        },
        {
          hash: "0x2364b1156592c9b7d7a200af0d361a0e565a0abf3693612ba3a1b8ca48d9732d",
          type: "0x0",
          success: true,
          title: "29 wei"
        },
        {
          hash: "0x61e589005bc08516d2d71c5849e991c8333f31bf2e70120f3465aa5380d9d4c1",
          type: "0x0",
          success: true,
          title: "30 wei"
        },
        {
          hash: "0x0d62b2be71de5b1e56014d9cc0bed1231a31438da2b881ecba916baf564d9119",
          type: "0x0",
          success: true,
          title: "31 wei"
        },
        {
          hash: "0xb8a84195f35f1fa06bf967626ae3177a6ed6be4f3e40df368f8f43f8cb27ccd9",
          type: "0x0",
          success: true,
          title: "32 wei"
        },
        {
          hash: "0xa8545cdd17fd2497887b61a42f0353113395c3eeecd700c41082d0fd1ea85052",
          type: "0x0",
          success: true,
          title: "33 wei"
        },
        {
          hash: "0xe369e2bdab3441188e7d683ec9856c833639bbd809eb33cfb51a6b9c65c0859b",
          type: "0x0",
          success: true,
          title: "34 wei"
        },
        {
          hash: "0x55f4fa27ae3e5241cff05eb2aa5cdd4732027fb6ffa073fd8992da7b8ebf10a0",
          type: "0x0",
          success: true,
          title: "35 wei"
        },
        {
          hash: "0xdc60a21540e9c725623841cce55a1e41080d344c907742c2c600083a9b5b2a9e",
          type: "0x0",
          success: true,
          title: "36 wei"
        },
        {
          hash: "0xfb9e60a2c95c90d461f6f0304c63086dc426ba262725d8ab7597c7084fa22594",
          type: "0x0",
          success: true,
          title: "37 wei"
        },
        {
          hash: "0x83cf125624064b7e25f9a77e23442d2c6019d3cc34f44bf8aa7d168d035f570b",
          type: "0x0",
          success: true,
          title: "38 wei"
        },
        {
          hash: "0xdc3f342ca14badf6b104440e0624590c3fbcf42f275ff0a2364a8a5717b1d34d",
          type: "0x0",
          success: true,
          title: "39 wei"
        },
        {
          hash: "0xecf7e91a7f123ed343ac218f71e73c2f2c41ba54dcd0ee53b07a6c54d56b4a8f",
          type: "0x0",
          success: true,
          title: "40 wei"
        },
        {
          hash: "0x566739c78a08ab29adb9969e65a7758fe14826aabe7690b42201770497083a55",
          type: "0x0",
          success: true,
          title: "41 wei"
        },
        {
          hash: "0x6660756e24bf77fc7972507fa5ec863f8e3a985b3ccb914973cc64f0b19bed0c",
          type: "0x0",
          success: true,
          title: "42 wei"
        },
        {
          hash: "0x2a9fd536222fad6a43ac8bec6715751978b3f22cee7be8aa20f980a667154048",
          type: "0x0",
          success: true,
          title: "43 wei"
        },
        {
          hash: "0x39504aea662eb71f196eefafbdd141a9fa9e43411dbacb55d1e4e4fd5ba3724a",
          type: "0x0",
          success: true,
          title: "44 wei"
        },
        {
          hash: "0x3b3342704297e4e7771a3d548162273d806cc8d7c6101cabb56560516a7519cf",
          type: "0x0",
          success: true,
          title: "45 wei"
        },
        {
          hash: "0x964aafaa54f65171bd97f8ec0df7d2ce64e121873800bf886c4ccfcddb52a210",
          type: "0x0",
          success: true,
          title: "46 wei"
        },
        {
          hash: "0x5ae97c8f942d75a622e70cd0ef0418c6c4f8a76f3f54d42dc6154a9fd19e0061",
          type: "0x0",
          success: true,
          title: "47 wei"
        },
        {
          hash: "0x3680bde78552011acec63770594f4fd5a581aea743cfb23b7270cb5256cc4ccf",
          type: "0x0",
          success: true,
          title: "48 wei"
        },
        {
          hash: "0x035ad11cb4678cb9f7b54f56660a00afea4fb5b2358aa6d9436cd298401ad5d9",
          type: "0x0",
          success: true,
          title: "49 wei"
        },
        {
          hash: "0x67fb85f3f5c31c83e485f56257330bf2a1bc50e26b1e9696c79f61cdca586f1a",
          type: "0x0",
          success: true,
          title: "50 wei"
        },
        {
          hash: "0x8f6fdf6d7e99f596dedb7e92328fe86603a7817b17be9e76437faedd69542b5e",
          type: "0x0",
          success: true,
          title: "51 wei"
        },
        {
          hash: "0xa3b1ff3a14864c3aa50cfa2f178b99f10900386ad166cfb4392ac2d362cc4a9d",
          type: "0x0",
          success: true,
          title: "52 wei"
        },
        {
          hash: "0xc9b4445d9b1042920315635d4c85458ae564634ea6a9fe31a7c64059ad386ad2",
          type: "0x0",
          success: true,
          title: "53 wei"
        },
        {
          hash: "0x5115ed92702c6861c9547b3a1937e6867eeaacbaa9106d8dfb502d17c01958d1",
          type: "0x0",
          success: true,
          title: "54 wei"
        },
        {
          hash: "0xcd6326acd7d1092fcbb5b9bcd31b10e4ccff5ffc9ae24608056ef9d978cce357",
          type: "0x0",
          success: true,
          title: "55 wei"
        },
        {
          hash: "0x1819f9aead2d0a09223ca7e185fac075ac9125ec96c28bae433f6bc2e1b60430",
          type: "0x0",
          success: true,
          title: "56 wei"
        },
        {
          hash: "0x19e50da5f27008397b2a2ab37963f466776812e9772b98bd8923772ddcf4b8a0",
          type: "0x0",
          success: true,
          title: "57 wei"
        },
        {
          hash: "0x2328c407a9bb014bec7e07bf0e47be21b744569e2b715f35a4e99e1c4bddfd29",
          type: "0x0",
          success: true,
          title: "58 wei"
        },
        {
          hash: "0x99e71a86e0a9c161b2c382168c2c9293d2e728184814d16bc6ac34307a3fc5a6",
          type: "0x0",
          success: true,
          title: "59 wei"
        },
        {
          hash: "0x70e1f9802cb0a4e94e4b6b92134cca6468ee260c34beb06ec7a8cac1aba48829",
          type: "0x0",
          success: true,
          title: "60 wei"
        },
        {
          hash: "0x1f52390bdacb440f77affdf1ef417e4ca350f2b99fd2d5986a5e2a8d5eedc9e4",
          type: "0x0",
          success: true,
          title: "61 wei"
        },
        {
          hash: "0x4d915717c94f8c22ba5646b5f0243e9bac4907706ec996c891c3a5fd79f3f495",
          type: "0x0",
          success: true,
          title: "62 wei"
        },
        {
          hash: "0xae56dfaf6627d27a5cf80cdc5607e7546b13641e0819b5ae9843c7cae3f99923",
          type: "0x0",
          success: true,
          title: "63 wei"
        },
        {
          hash: "0xacfb15a72bc0725dd312fb7b24b6ebbb6373782413ee927142876a03e5d98646",
          type: "0x0",
          success: true,
          title: "64 wei"
        },
        {
          hash: "0x25d31cda76cf1fe3777e7a589f98905e3e023ec102c05e18886d54fbbf5f71c0",
          type: "0x0",
          success: true,
          title: "65 wei"
        },
        {
          hash: "0x0fd710cf0d007af2d6c0d735e9eb2b3e5659b7cb62cda3abf1df229a6fa8b04e",
          type: "0x0",
          success: true,
          title: "66 wei"
        },
        {
          hash: "0x9c1324e8a1f8c612ced60ee2cd16c4f8e85f42fc11feb53d97c561cc58ba4fa0",
          type: "0x0",
          success: true,
          title: "67 wei"
        },
        {
          hash: "0xa350a34b3b4b1c55251d0393ac1c2e48e001723ff2231589bb9c5084bee180cf",
          type: "0x0",
          success: true,
          title: "68 wei"
        },
        {
          hash: "0xbd0cf227fd25b490f86781e051ff474b68dccaaead44ef89f2aacdf91309ca1f",
          type: "0x0",
          success: true,
          title: "69 wei"
        },
        {
          hash: "0x930f9ffdc6256a83f4e2ef4b57b92c7e206b2831f8a584d7027f3583f482b95c",
          type: "0x0",
          success: true,
          title: "70 wei"
        },
        {
          hash: "0x28539142e37b80a65063b082af72f68405ecf26edab7b125261419dbd92dd98d",
          type: "0x0",
          success: true,
          title: "71 wei"
        },
        {
          hash: "0xb156abee4ee8986a13bae4ffd260ca0edea276a3c18583df7b1f804e7b0edcc1",
          type: "0x0",
          success: true,
          title: "72 wei"
        },
        {
          hash: "0x3fadf913f8a26199fca7ac40b7b463a0e6a6bfcaec2323813632f7facf6cda8e",
          type: "0x0",
          success: true,
          title: "73 wei"
        },
        {
          hash: "0x8d8a3fb966b0b727ae7f1218b20ecbed6a1ae7d2a96e7a70fed076f8e4640ba2",
          type: "0x0",
          success: true,
          title: "74 wei"
        },
        {
          hash: "0x630779463d8235e03fefa9b442fe4d82da2521f75f957ca6db32f4885e8de52b",
          type: "0x0",
          success: true,
          title: "75 wei"
        },
        {
          hash: "0xcdd293855265497306afeaa92f81f8b0c71803050b7f29ea3113831bc25cbc3f",
          type: "0x0",
          success: true,
          title: "76 wei"
        },
        {
          hash: "0x3bf35a05db21af3ded9f5636186ee47ee20afb4475360298190866b0b8f74f6d",
          type: "0x0",
          success: true,
          title: "77 wei"
        },
        {
          hash: "0xf10e9e6b158c570b38faa9c51851e35ba3c6c9a6d2c729414f9202b93e5c3221",
          type: "0x0",
          success: true,
          title: "78 wei"
        },
        {
          hash: "0x9b8fe4fef0023b737852a002affd297673f69251d3b375a9daba1cf16e36283e",
          type: "0x0",
          success: true,
          title: "79 wei"
        },
        {
          hash: "0x4ed5df596056b79dc43b5e977094309cbd19b89856bd0c948edd67f18396808e",
          type: "0x0",
          success: true,
          title: "80 wei"
        },
        {
          hash: "0x6c52747045085b72d39635c5ee2e9d833f2d67961307bd8bed794f6ae8b2d3a5",
          type: "0x0",
          success: true,
          title: "81 wei"
        },
        {
          hash: "0xa7b46596269b90bf1776b13def2c27d963a2b7598263941a0a6b7b86051e65e3",
          type: "0x0",
          success: true,
          title: "82 wei"
        },
        {
          hash: "0xa8cf9ad1d8d613ff057255136ebf0c651d26a69693f073925a848f142367118f",
          type: "0x0",
          success: true,
          title: "83 wei"
        },
        {
          hash: "0x11eb3da003f653f6265fa6b73fcf5f62650b93f949babbfb8a38aa2fe53a562b",
          type: "0x0",
          success: true,
          title: "84 wei"
        },
        {
          hash: "0xeb3613df4968512727c80dd4eb22a51c7b23ad88353d2ee7e84341fcb589dd0b",
          type: "0x0",
          success: true,
          title: "85 wei"
        },
        {
          hash: "0x023e50cc193942d284e671b81815873b8d01078e49bcbe01602b34ce3be9d3ba",
          type: "0x0",
          success: true,
          title: "86 wei"
        },
        {
          hash: "0x1b217001f0b234f0e59ad8b62cb3f88f89dac458b1d3a6fcff2ee22d1d42caef",
          type: "0x0",
          success: true,
          title: "87 wei"
        },
        {
          hash: "0x7c40ca2d3bd47afae117765c0cee2c32518ce96c319b6a79510f61dbac9430d7",
          type: "0x0",
          success: true,
          title: "88 wei"
        },
        {
          hash: "0xdff2d55669668a6a43bb1c06ee5a525ff0ec4d65e00dda3a957b9e29b98caf70",
          type: "0x0",
          success: true,
          title: "89 wei"
        },
        {
          hash: "0xc40a8cbc00cc3b65fc0882ae4422335b04f6d0f3b63a675e7f2004da122ad4c6",
          type: "0x0",
          success: true,
          title: "90 wei"
        },
        {
          hash: "0x875ea842eb85c73076e03bcf1cda191d114b6934d76199eabf2e8d2a08c9fa05",
          type: "0x0",
          success: true,
          title: "91 wei"
        },
        {
          hash: "0x73b6a15c85e5e4b436595beb22aeae63041bcfeb251841ad0c016a7f25e5bffd",
          type: "0x0",
          success: true,
          title: "92 wei"
        },
        {
          hash: "0xc7be625561246bfc141724d8fa12decacbf4d04777a8e8dd23916250fafcd6c2",
          type: "0x0",
          success: true,
          title: "93 wei"
        },
        {
          hash: "0x67e1f241269e821d15fe9770b3f50137b7668690e1cf4fee21febcd146939fc0",
          type: "0x0",
          success: true,
          title: "94 wei"
        },
        {
          hash: "0xf4419db3cc38bcdd16dcf532e74ef66772b9a63d423cab5dd4d3223a93ed9e05",
          type: "0x0",
          success: true,
          title: "95 wei"
        },
        {
          hash: "0xa749ae080a4fb495b3ca2895aea27183b85ce9729088cbf0b5163ad58106cd85",
          type: "0x0",
          success: true,
          title: "96 wei"
        },
        {
          hash: "0xd5fdba24d9da418635830d9f6758c849cbae8a33d8b4bb0243d20e84b93d7d31",
          type: "0x0",
          success: true,
          title: "97 wei"
        },
        {
          hash: "0x93eb41550c4d8d245a8e9f80fa360521d0db520c852696585fbbd3f30e2e59a9",
          type: "0x0",
          success: true,
          title: "98 wei"
        },
        {
          hash: "0xa3284d8bf540b15fb998967caabf077698f7f0081522c2925e63b048f44cf33f",
          type: "0x0",
          success: true,
          title: "99 wei"
        },
        {
          hash: "0xb50d8b6a2d44eec63b204b9c5c5aa0d4f414552d2e422aa2784169d4cd0904eb",
          type: "0x0",
          success: true,
          title: "100 wei"
        },
        {
          hash: "0xaf822da202c437b826cef3b4d1f3965bc6c0d84aff56ac0bd6a2107dc16956b0",
          type: "0x0",
          success: true,
          title: "101 wei"
        },
        {
          hash: "0x6aa841789ffa2485b067f5f36c896b612a680c3d34b3d8e434a7988d20378be6",
          type: "0x0",
          success: true,
          title: "102 wei"
        },
        {
          hash: "0x37563afa1e2bf001893c7014d56e4dedfbbee899b6f25ad20d6699ef02ceb8bf",
          type: "0x0",
          success: true,
          title: "103 wei"
        },
        {
          hash: "0xbf132a89c223be24c5c6e58a98161cfe5a5716fbd0286fea4018d870310adc77",
          type: "0x0",
          success: true,
          title: "104 wei"
        },
        {
          hash: "0x2879dc32f5d526dffa6d626218c119e710e8dc92bfd4aed364b9fd66f8356295",
          type: "0x0",
          success: true,
          title: "105 wei"
        },
        {
          hash: "0x811bb793cc0af1aa389ad601d783cdf6aee15ef609e52e187768181cd945b133",
          type: "0x0",
          success: true,
          title: "106 wei"
        },
        {
          hash: "0xcbcf52489691f6edddeba13ed9e44cd3644601394896a78d6add29dd1a49957e",
          type: "0x0",
          success: true,
          title: "107 wei"
        },
        {
          hash: "0xdfcf6b4cf00a0be38803071ab7681b0bfccc6d6a9a3369dae15b3ea5883cb21f",
          type: "0x0",
          success: true,
          title: "108 wei"
        },
        {
          hash: "0x888c5a7ceb7af2b625efe4976b07ec5c6a73ce13f704055fdace0f27b5e0a2b7",
          type: "0x0",
          success: true,
          title: "109 wei"
        },
        {
          hash: "0x4ad678b397c25b0791952e96266b85152c4c4e906ee0737a4a9ece987eb2a545",
          type: "0x0",
          success: true,
          title: "110 wei"
        },
        {
          hash: "0xa72890ae3ce72d307e4b9163e71b598105ce16b8eee9fef7324479957ac118df",
          type: "0x0",
          success: true,
          title: "111 wei"
        },
        {
          hash: "0x29471e6e89d7593f9d1c2097df555313e6cfe2cb4fa9c2f3ce33649593f11eac",
          type: "0x0",
          success: true,
          title: "112 wei"
        },
        {
          hash: "0x2423b954f6b4fee1cfa9bcb08969f782280636a51202ae3b1eef5aef4bef1ce1",
          type: "0x0",
          success: true,
          title: "113 wei"
        },
        {
          hash: "0xb394087f53fd3f71c8babe8c0dc05febedc40e3129f58f30795e663501d18135",
          type: "0x0",
          success: true,
          title: "114 wei"
        },
        {
          hash: "0xc587f79d2ac4edeab393e60018e67633859a333df24ebea00abcdbe4ee8290e1",
          type: "0x0",
          success: true,
          title: "115 wei"
        },
        {
          hash: "0x7da843ee1d20033781c494c49cece0aa748044ee1e5056086aa9ae81ac409d4d",
          type: "0x0",
          success: true,
          title: "116 wei"
        },
        {
          hash: "0x4e2ad2cfe88741807e145d7ab7f936f650cb340fa193330e988b891607381f87",
          type: "0x0",
          success: true,
          title: "117 wei"
        },
        {
          hash: "0x70ec473a22772740ab740bbe62035e990e92ceb8da111139d9a083d35800d29e",
          type: "0x0",
          success: true,
          title: "118 wei"
        },
        {
          hash: "0x0afc4530841271de41f09b33fe97c3b3d8c44767d89d208d620b74f2261ce389",
          type: "0x0",
          success: true,
          title: "119 wei"
        },
        {
          hash: "0x0a87e9943db9d3905a654824fb15d6a2b0fec93de40d998b337f32fe3a722763",
          type: "0x0",
          success: true,
          title: "120 wei"
        },
        {
          hash: "0xd8da845af6997650899345b900228717a4ecbb3c8fe6859fd248fb139194cb9e",
          type: "0x0",
          success: true,
          title: "121 wei"
        },
        {
          hash: "0x3a2fc8269b273e5f24f9ed6826443cd2e7c1143fddc72f607b22761a0aaeeb1c",
          type: "0x0",
          success: true,
          title: "122 wei"
        },
        {
          hash: "0x97b3db83d29173580f804a385d11da81ebda8becd6562cd44a7bd508da56eb71",
          type: "0x0",
          success: true,
          title: "123 wei"
        },
        {
          hash: "0xd0e42bf88f7c1356bc19739145a5805ff10538aa7091ca029f78fc4af1930d04",
          type: "0x0",
          success: true,
          title: "124 wei"
        },
        {
          hash: "0x945d0fb622d1e674aee9859e515f430284e77fadacfed9a9890f8289f6f308db",
          type: "0x0",
          success: true,
          title: "125 wei"
        },
        {
          hash: "0x3aadd7744322c45e8001f2ea1059aea9e574672a65f81c8a563fdcbf39c4079e",
          type: "0x0",
          success: true,
          title: "126 wei"
        },
        {
          hash: "0x9435950c18e7977cf35147a5b260149b7e0ffb3d18e4d607a817be3bce646ee2",
          type: "0x0",
          success: true,
          title: "127 wei"
        },
        {
          hash: "0xfcc8dff27fddf651935bbea164e2cbeb16976857ca198ee308f9e3e0ee02b59d",
          type: "0x0",
          success: true,
          title: "128 wei"
        },
        {
          hash: "0x3eb004546a581d6648c809a600a2d7f537d678d2d1829d63c5c9ff3278ff5629",
          type: "0x0",
          success: true,
          title: "129 wei"
        },
        {
          hash: "0x007c151a6128a0f634eb304a3c2b1b30143ebdc085b4dca96b8b8334b530e0a1",
          type: "0x0",
          success: true,
          title: "130 wei"
        }
      ]
    },
    {
      number: 21,
      hash: "0x3fdd8c8bf403351764a13fa84fe72fdd585a16020ffd2e5c67c7b5d864dec8f5",
      timestamp: 1600000276,
      fork: "Byzantium",
      title: "Two uncles, one of them from before the large block",
      uncles: [
        "0x0dcba77423e256a59486581db5d77f956b353286d89b411973ff66cdcae87e17",
        "0x95bd96dcf5f66d43a2f3aa8a59e64c068729ea0523e659846dd7b0b4a348e527"
      ],
      transactions: []
    },
    {
      number: 22,
      hash: "0x0e4303c8591459bad4ec67a5b8d46ca1d45ef13cb7bc3578db91f37a1fa37c3e",
      timestamp: 1600000285,
      fork: "Byzantium",
      title: "300 PLUMB to Cleo",
      uncles: [],
      transactions: [
        {
          hash: "0xb59084132160d33a8cd124f9d80ee2db579c29614f9563b92233577e72a80050",
          type: "0x0",
          success: true,
          title: "300 PLUMB to Cleo"
        }
      ]
    },
    {
      number: 23,
      hash: "0x32a0ad0ace5afc921f0ff1adcc3839ace385a1ef645925f07ca26021f5092e63",
      timestamp: 1600000306,
      fork: "Constantinople",
      title: "Counting through the proxy",
      uncles: [],
      transactions: [
        {
          hash: "0x8dca3e7c0c5227b4bfb1d877522b81a853939dd272f97c8e721e8c9dd8998120",
          type: "0x0",
          success: true,
          title: "increment at the proxy by Bob"
        }
      ]
    },
    {
      number: 24,
      hash: "0x72669e20c0b5c19ebdef2ab9e4d4eca3465461187f750f0c3ce10e26493c3792",
      timestamp: 1600000320,
      fork: "Constantinople",
      title: "An uncle",
      uncles: ["0xae7c3097904231e4246b94faca423820fda5c139e5b679ce2b8f246dd6fe0dde"],
      transactions: []
    },
    {
      number: 25,
      hash: "0xa643d3dc98b8a6a279d0c27b66f782e99c865ed6909553dc923eaae20b018ad2",
      timestamp: 1600000327,
      fork: "Constantinople",
      title: "A creation fails",
      uncles: [],
      transactions: [
        {
          hash: "0x6770316b6cec1f30a0c9a73c8f2bc1922044bb734201da84002e543ca5f4207a",
          type: "0x0",
          success: false,
          title: "deploy code that is invalid"
        }
      ]
    },
    {
      number: 26,
      hash: "0xc6415892ac6d69e4d49d2ebee0aafb53d5e497f05f1c6f81c598420f36f28525",
      timestamp: 1600000344,
      fork: "Petersburg",
      title: "Ether moves",
      uncles: [],
      transactions: [
        {
          hash: "0xfbb175ea5e8c572604e2497a5ebc25a81fadad6b19fb939b7743aae7b1a669bb",
          type: "0x0",
          success: true,
          title: "2 ether to Ada"
        }
      ]
    },
    {
      number: 27,
      hash: "0x28cc60595ba792a83fc11406345e423770bc394328d688009d24b208193b0c50",
      timestamp: 1600000355,
      fork: "Petersburg",
      title: "An uncle and a count",
      uncles: ["0x5efd2b47958a70a44809e632199104d5250e5e64b55c98a957ab5eb8d60c5083"],
      transactions: [
        {
          hash: "0x0aee48bb21d64cc57f2739d236315472e1814cfaaed188d1d55b0764f2555bff",
          type: "0x0",
          success: true,
          title: "increment at the proxy by Cleo"
        }
      ]
    },
    {
      number: 28,
      hash: "0x6b9d9a14540f206f7f742332d41a81168aec9e5436bd71c5d304ebb441408b12",
      timestamp: 1600000368,
      fork: "Istanbul",
      title: "Cabinet is deployed",
      uncles: [],
      transactions: [
        {
          hash: "0x21a0f9fee1c2897cbd6f25d677442878abd29990dbc13cd9545ff8d8b91a7da2",
          type: "0x0",
          success: true,
          title: "deploy Cabinet"
        }
      ]
    },
    {
      number: 29,
      hash: "0xa4efc61e5183227d18b075a9d99f9cb5eef4e9dc00e2588e53e7dbb2ecd4ba3a",
      timestamp: 1600000377,
      fork: "Istanbul",
      title: "The cabinet is opened",
      uncles: [],
      transactions: [
        {
          hash: "0xa0e4ef2eb8e7a7a6d23d08f180746e85fd5b1470ef14ca09be65985b89aa1115",
          type: "0x0",
          success: true,
          title: "open"
        }
      ]
    },
    {
      number: 30,
      hash: "0xdd95cb99a23ecd4c96de21f337f1706a235333789523ec57be17320bb471d6a7",
      timestamp: 1600000398,
      fork: "Istanbul",
      title: "It is filled",
      uncles: [],
      transactions: [
        {
          hash: "0xcfc57ad92190dfcfda1774a062cbbc968cd237c4d6b908e8d47713cdc68358ce",
          type: "0x0",
          success: true,
          title: "fill"
        }
      ]
    },
    {
      number: 31,
      hash: "0x7128aad64e92c185b9419d7ecf0efa6d4cb08f1f5896048dea115b88f2e744cc",
      timestamp: 1600000412,
      fork: "Istanbul",
      title: "A story is written into it; two uncles",
      uncles: [
        "0x327bdaaf732c24c86e20c1bfb1f9108b98e664c28a45c527fc6d7d623999a1de",
        "0xaf932e759150b720a7fdd37bad8e67fbbfee033782e324998f83c52b16b43912"
      ],
      transactions: [
        {
          hash: "0xc4ff3ee921c729a614868ab00ecfe051b25c13bf5067b22156096ffd84eeff16",
          type: "0x0",
          success: true,
          title: "write"
        }
      ]
    },
    {
      number: 32,
      hash: "0x61aa674aff06073159870638faa1a25c88a6da4a0ed1c03079ed540bed3750c4",
      timestamp: 1600000419,
      fork: "Istanbul",
      title: "People join the cabinet",
      uncles: [],
      transactions: [
        {
          hash: "0x857cb11f656b9769542132693f000da374a6e1bec190b21798622fd500fc988a",
          type: "0x0",
          success: true,
          title: "Ada joins"
        },
        {
          hash: "0x40a781aa069f8c11be6d7aaf53b35c2d90599d5ea536c0702d41982fc7824ad6",
          type: "0x0",
          success: true,
          title: "Bob joins, with a long name"
        }
      ]
    },
    {
      number: 33,
      hash: "0xd2a10c00901fbe6d9ddd68b041589e50508978a6fc5afd6e78ea197001e3938a",
      timestamp: 1600000436,
      fork: "Muir Glacier",
      title: "Ada votes",
      uncles: [],
      transactions: [
        {
          hash: "0xdd754568656b4428b59d741058b1fdac7a451671b3a544488c3ba6101086e9a5",
          type: "0x0",
          success: true,
          title: "Ada votes"
        }
      ]
    },
    {
      number: 34,
      hash: "0xc2bca0a222e14bb1e05e3268ae18c9831ebb693b7ae46c3f7220424fce2760b9",
      timestamp: 1600000447,
      fork: "Muir Glacier",
      title: "An uncle in an empty block",
      uncles: ["0x7f81cd470d3bc1254b080fcc6661309a8d26e8183fd45bdc54d62fac07cbeecc"],
      transactions: []
    },
    {
      number: 35,
      hash: "0xc108883eca33c684dac3d4d3f8b31350fea429b15525f805cddc2fe8f5878c10",
      timestamp: 1600000460,
      fork: "Berlin",
      title: "The first transaction with an access list (EIP-2930)",
      uncles: [],
      transactions: [
        {
          hash: "0x53bb5a2772bdd7255b0974f429fcf1cef6d8a071f26abde938cb20d2b11cbcf9",
          type: "0x1",
          success: true,
          title: "50 PLUMB to Eve"
        }
      ]
    },
    {
      number: 36,
      hash: "0xde788bfbee7df30660a3d529f3fde7123d9abe40e7f42e5df83a279a965cfd36",
      timestamp: 1600000469,
      fork: "Berlin",
      title: "Old and new side by side",
      uncles: [],
      transactions: [
        {
          hash: "0x72536c1fefa6c9c88fb53e911875abdd9efb174d86ef960bf5b9b290f0cc6a06",
          type: "0x0",
          success: true,
          title: "1 wei to Bob, unprotected"
        },
        {
          hash: "0x93c5bbff6fb2daaa84707b13d6e59c18ba0b16473eb1d84329e37c1d099e3a2d",
          type: "0x0",
          success: true,
          title: "1 wei to Bob, with a chain id"
        },
        {
          hash: "0x3850a7ebbb03f4fdf9d7f96715b4e6febe75aaa86ca4a5b8748724d8b290bda6",
          type: "0x1",
          success: true,
          title: "1 wei to Bob, by type 1"
        }
      ]
    },
    {
      number: 37,
      hash: "0x78427a90cc6a603d5767eb1ab9f537eaa6bf6ae2724ceb5db51e078a03be395f",
      timestamp: 1600000490,
      fork: "Berlin",
      title: "An uncle",
      uncles: ["0x240d4a00ee4f473f6df7cc2f234c20fd83c2c0fb62ecbb8264dae442073fa7af"],
      transactions: []
    },
    {
      number: 38,
      hash: "0x59be4d15f58133c7788b06a1be132f31f138bb5cbe91cbff3c9df78a0e24fcbd",
      timestamp: 1600000504,
      fork: "Berlin",
      title: "A creation of type 1",
      uncles: [],
      transactions: [
        {
          hash: "0x61f4250f67af5d59b845dbd08bf399b16d627166476306365c18b7be5fa7cd64",
          type: "0x1",
          success: true,
          title: "deploy another mayfly"
        }
      ]
    },
    {
      number: 39,
      hash: "0x2e1b5fdf0b617e07b14f6a5062644e556864ed912866946a5772229936933143",
      timestamp: 1600000511,
      fork: "London",
      title: "The first base fee (EIP-1559)",
      uncles: [],
      transactions: [
        {
          hash: "0xeee5edafff257d193dd6ef305d93481826f63b37b096aa4e787571b6cd77fbb1",
          type: "0x2",
          success: true,
          title: "1 ether to Bob"
        }
      ]
    },
    {
      number: 40,
      hash: "0xaf0b3e103683369563e338319bf3ce26091d4c494665d27349c013b09dc13482",
      timestamp: 1600000528,
      fork: "London",
      title: "Tips, and a price at its limit",
      uncles: [],
      transactions: [
        {
          hash: "0xd0ea31853fcd635198882227f8d7dbcb82793b986ec70dabed53b6170ba3d9f9",
          type: "0x2",
          success: true,
          title: "A tip within the limit"
        },
        {
          hash: "0x351077d45aca4d8a8faa6918404d529db748b7cc7f4a29282f0040b81c5be16a",
          type: "0x2",
          success: true,
          title: "The limit cuts the tip"
        },
        {
          hash: "0x1951b5cf77da4a7f25bdd7bdb4b57b2cc44cad5d02b8e3dfa6266a79b78dbf83",
          type: "0x0",
          success: true,
          title: "A legacy price above the base fee"
        }
      ]
    },
    {
      number: 41,
      hash: "0x127f7a2b3a6217bfaf14dffd8bfe46a3a482b0d0ebc7e5b34b43c4a9cb6949eb",
      timestamp: 1600000539,
      fork: "London",
      title: "An uncle with a base fee",
      uncles: ["0x04090f9b3d4d36e0457e1c982ddf63e76a4fb4eedf2b0946e799633d0d8ec292"],
      transactions: []
    },
    {
      number: 42,
      hash: "0x3b4096c4a36508d250db292c8f8ae3a25d32fe07e21c1d6fa3ebfc67b18b0121",
      timestamp: 1600000552,
      fork: "London",
      title: "Points in a grid",
      uncles: [],
      transactions: [
        {
          hash: "0x5963d7c993a4d4a505f5b1c6a778310bdda87af9974e937f1be99f9ba214bbce",
          type: "0x2",
          success: true,
          title: "place"
        }
      ]
    },
    {
      number: 43,
      hash: "0x988b8adc36fb9112bdd6af20f6c86641720e5b55357dc9f5cd6915429aea7d5d",
      timestamp: 1600000561,
      fork: "London",
      title: "Two uncles with base fees",
      uncles: [
        "0x5e940ef539e1ca8969ee3ac54b69454f18322723a56ad3d6978915b8e26ed626",
        "0xcb941d29a6e20312c5ac16a9df94afaa5490edc764c340f1020004e53ed4cce2"
      ],
      transactions: []
    },
    {
      number: 44,
      hash: "0xc6dcb1d97cc9fc9df790c84b06ff5ee5e71535ad568b098567a118a3a511e62c",
      timestamp: 1600000582,
      fork: "Arrow Glacier",
      title: "A word is mentioned",
      uncles: [],
      transactions: [
        {
          hash: "0xe37f845f064a2ea030c8ff300906b21b31d9cff8932a36ea995d86cc42460032",
          type: "0x2",
          success: true,
          title: "mention"
        }
      ]
    },
    {
      number: 45,
      hash: "0x71b8246e9c2e4388d6a2f1cf3e183a8e4ed70600c895318e9602671f4830ac43",
      timestamp: 1600000596,
      fork: "Arrow Glacier",
      title: "Nothing",
      uncles: [],
      transactions: []
    },
    {
      number: 46,
      hash: "0x7b058b100e8ece0b6667f97d294a144d3abea770859fb837f281b1daee061ebc",
      timestamp: 1600000603,
      fork: "Gray Glacier",
      title: "Waiting for the Merge",
      uncles: [],
      transactions: [
        {
          hash: "0xb5b8c75dc61126a5162873ffa7e503f1e90f1e44723bcf74e3259e35f04b3774",
          type: "0x2",
          success: true,
          title: "increment at the elder by Bob"
        }
      ]
    },
    {
      number: 47,
      hash: "0x2c9fa69cfeeb42a92d6d6d3a17baf67846289faa5fc96b6af9aa727c90b82a6e",
      timestamp: 1600000620,
      fork: "Gray Glacier",
      title: "An uncle",
      uncles: ["0x1e4092edcb594e4baa8c22830145fab4ffe3fbff105603d9f5ddf5052ed08880"],
      transactions: []
    },
    {
      number: 48,
      hash: "0xa275510ea7c92f5a46249cd48070ef2539ff6320cbb53e8c1e57d92cd459dbaf",
      timestamp: 1600000631,
      fork: "Gray Glacier",
      title: "The last two uncles",
      uncles: [
        "0x98c3b6805a0a5a99ac19d6c609efeceb9a2702b15509eb421c9796a38a13d22a",
        "0xfa610d98ab1d9bccc5df6bde15ffcb7690d6bae459a0ec853043eb393e114d0f"
      ],
      transactions: []
    },
    {
      number: 49,
      hash: "0xd32a3b07fcf6c0e1bbfc986299f0017d19f7dc72406aba049f9c7b3e297785e2",
      timestamp: 1600000644,
      fork: "Gray Glacier",
      title: "The last block that is mined",
      uncles: [],
      transactions: [
        {
          hash: "0x92cb559bacbf3b2492211d896cdfaa6e3a183c4a6cb27971757205ac1a94fe3e",
          type: "0x2",
          success: true,
          title: "1 wei to Eve"
        }
      ]
    },
    {
      number: 50,
      hash: "0x06d6f0d33a2767d3a8be75e8036086e18eceedcbd20b9efb4b20f6e72665e6c6",
      timestamp: 1600000656,
      fork: "Paris",
      title: "The Merge: no difficulty any more",
      uncles: [],
      transactions: []
    },
    {
      number: 51,
      hash: "0x12c41cdc852dd449ef7cf3f3eabc9c8f7a3a9a5bc0796847f3deff0dae335857",
      timestamp: 1600000668,
      fork: "Paris",
      title: "The first transaction after the Merge",
      uncles: [],
      transactions: [
        {
          hash: "0xdfe7eb69fb7cb35c60ec8b50c3c8f22d716215ca80f874ed47ac9e004e6e9ce3",
          type: "0x2",
          success: true,
          title: "10 PLUMB to Dan"
        }
      ]
    },
    {
      number: 52,
      hash: "0x8a49aafb2c89a1b92454a2ce80baecfd22d24ba90bfd0854a9713f9328934d1a",
      timestamp: 1600000692,
      fork: "Paris",
      title: "After a missed slot",
      uncles: [],
      transactions: [
        {
          hash: "0x8d953fc8eb79b427d774ac6cb9451eb270f0900761eb8971d8bf3f3fba495ce4",
          type: "0x1",
          success: true,
          title: "Nothing for nobody"
        }
      ]
    },
    {
      number: 53,
      hash: "0x0c9b141c25f0bb61c22a395762795c29a0bd70d7eb3a832e8d2362ac5e8c1ae5",
      timestamp: 1600000704,
      fork: "Shanghai",
      title: "The first withdrawals (EIP-4895); CounterV2 is deployed",
      uncles: [],
      transactions: [
        {
          hash: "0x69c621aace686c4f91b3907b34a99745f29c1d78ccf5040e787cc87c9a27a4d7",
          type: "0x2",
          success: true,
          title: "deploy CounterV2"
        }
      ]
    },
    {
      number: 54,
      hash: "0x7fee1efe12ef3b3016546a31aa4809cd8297664cbd0d9df113fff3070bd87e1d",
      timestamp: 1600000716,
      fork: "Shanghai",
      title: "The proxy is upgraded",
      uncles: [],
      transactions: [
        {
          hash: "0xa20781182da9dc5657179241813fec5fe46fec6fa2028b0f09d1282a63487699",
          type: "0x2",
          success: true,
          title: "upgradeToAndCall"
        }
      ]
    },
    {
      number: 55,
      hash: "0x5697e9394573030bce357e66cea8647c2f67a60beb453b366fb98869825948eb",
      timestamp: 1600000728,
      fork: "Shanghai",
      title: "Ether for those who will deploy what the next forks need",
      uncles: [],
      transactions: [
        {
          hash: "0x00bba682bd180a33ed2ae2b4c6c38dac70454d79fb1a8b5474d346aaacbfb928",
          type: "0x0",
          success: true,
          title: "ether for the deployment of BeaconRoots"
        },
        {
          hash: "0x8168823b0cd7b2bb13cebef49f51f01c29ba664d80e4a71b31702765e5aae8a9",
          type: "0x0",
          success: true,
          title: "ether for the deployment of BlockHashes"
        },
        {
          hash: "0x5ea411cb4a2a451752d2134c42e1a749ba305396c6041b17ae2da528534ff98b",
          type: "0x0",
          success: true,
          title: "ether for the deployment of WithdrawalRequests"
        },
        {
          hash: "0xcd52233dc133cfc27af568a4acac7b5bd1001955867f6f878dd4ce6d28753b2f",
          type: "0x0",
          success: true,
          title: "ether for the deployment of ConsolidationRequests"
        }
      ]
    },
    {
      number: 56,
      hash: "0x17376d49fc3dc322f28795ad5b0e24b9d4d312003f475902bff9955cf971a145",
      timestamp: 1600000740,
      fork: "Shanghai",
      title: "The contract of beacon roots is deployed, without a key (EIP-4788)",
      uncles: [],
      transactions: [
        {
          hash: "0xdf52c2d3bbe38820fff7b5eaab3db1b91f8e1412b56497d88388fb5d4ea1fde0",
          type: "0x0",
          success: true,
          title: "deploy BeaconRoots"
        }
      ]
    },
    {
      number: 57,
      hash: "0x3caf16a6595e7ad3662509b596cf3a5cfdec95c352aca9b4f0468016df4bec14",
      timestamp: 1600000752,
      fork: "Cancun",
      title: "The first blobs (EIP-4844)",
      uncles: [],
      transactions: [
        {
          hash: "0x2362758e9e38f140fdd5e1af9154d8bdadbc13e3c707e3ef74a489e673bef0a8",
          type: "0x3",
          success: true,
          title: "Two blobs"
        }
      ]
    },
    {
      number: 58,
      hash: "0xd08591b958db50e8dc18d22c8e8224fd432398b6ba6a1cddf5b7fb91600295c0",
      timestamp: 1600000764,
      fork: "Cancun",
      title: "Six blobs in two transactions",
      uncles: [],
      transactions: [
        {
          hash: "0x802d6698b84a5e06765780af7c76c39076d761ca867f1cc26a599b30f64f421a",
          type: "0x3",
          success: true,
          title: "Five of them"
        },
        {
          hash: "0x8bebe31ccfb604701fc379f16886fcaa2c4d894ba811782c7eae2c2888e13f6d",
          type: "0x3",
          success: true,
          title: "And one"
        }
      ]
    },
    {
      number: 59,
      hash: "0x166c8004fd28b8d19d848aa9ff2585d65189caf1a517926a769d8b977022270e",
      timestamp: 1600000776,
      fork: "Cancun",
      title: "The contract of block hashes is deployed (EIP-2935)",
      uncles: [],
      transactions: [
        {
          hash: "0x67139a552b0d3fffc30c0fa7d0c20d42144138c8fe07fc5691f09c1cce632e15",
          type: "0x0",
          success: true,
          title: "deploy BlockHashes"
        }
      ]
    },
    {
      number: 60,
      hash: "0xd63d69a93220f9459def724f7739fef268bab595a52e3623a3b39747009276f5",
      timestamp: 1600000788,
      fork: "Cancun",
      title: "Those of withdrawal and consolidation requests are deployed (EIP-7002, EIP-7251)",
      uncles: [],
      transactions: [
        {
          hash: "0x8ded54be89448d78d4bc97782c0187b099e45380ab681742f9d3754e405c2572",
          type: "0x0",
          success: true,
          title: "deploy WithdrawalRequests"
        },
        {
          hash: "0x379269d571beff3ed1d8eba3abb24076a7267b0eaf0cc66d728fb0544f5a690d",
          type: "0x0",
          success: true,
          title: "deploy ConsolidationRequests"
        }
      ]
    },
    {
      number: 61,
      hash: "0x82847eac724ac70abb4d8791e14538f466a8b7aa6e9db5e4b96281ef27c7b9c2",
      timestamp: 1600000800,
      fork: "Prague",
      title: "Cleo's account delegates to Counter (EIP-7702), Dan pays",
      uncles: [],
      transactions: [
        {
          hash: "0xe297ab7983587f54f1c2e2f71c5dc46793e267f61e1889f58b97f21b25175616",
          type: "0x4",
          success: true,
          title: "Cleo's authorization, with a first call"
        }
      ]
    },
    {
      number: 62,
      hash: "0x05e8865d457da233f41e9603453b416a68fc9df936d22093a8a468ca92f929f3",
      timestamp: 1600000812,
      fork: "Prague",
      title: "Her account is called like a contract",
      uncles: [],
      transactions: [
        {
          hash: "0x74c9af9eb7a1481dc1dd331182065caefdfa314d048eab763417fcf224a405bd",
          type: "0x2",
          success: true,
          title: "increment at Cleo"
        }
      ]
    },
    {
      number: 63,
      hash: "0x528c8a3773ac588963611e25b4205637d288a7f08814b9a464a98e15d69fe3dd",
      timestamp: 1600000824,
      fork: "Prague",
      title: "A validator is asked to leave (EIP-7002)",
      uncles: [],
      transactions: [
        {
          hash: "0x04af6f66d15bf0eb5235ffee683b5c6158039d449e57394ce58b9a906ba4a1e5",
          type: "0x2",
          success: true,
          title: "A withdrawal request"
        }
      ]
    },
    {
      number: 64,
      hash: "0xdf95006c5a673764d171566a20d35dc8481166165e4618d301b10898062650ac",
      timestamp: 1600000836,
      fork: "Prague",
      title: "One authorization is stale, one holds",
      uncles: [],
      transactions: [
        {
          hash: "0x08b7d9021650b24b98207124be11fc17022f1252cd654f849de56d8a0b14f2fd",
          type: "0x4",
          success: true,
          title: "Bob delegates to Counter himself; Cleo's authorization has a used nonce and is skipped"
        }
      ]
    },
    {
      number: 65,
      hash: "0xb2724ebf52c84ccb7b119b49be6468ed19999c338476e92f47d3113d451f5fb4",
      timestamp: 1600000848,
      fork: "Prague",
      title: "Cleo takes her delegation back",
      uncles: [],
      transactions: [
        {
          hash: "0x46faca173c0381df7c602705c79633fd25deaae6732c9f8f7629c09537586124",
          type: "0x4",
          success: true,
          title: "Cleo's authorization for no code"
        }
      ]
    },
    {
      number: 66,
      hash: "0x521ac00f2327353278e63688e76e547d1294e7a4443b7067709154c6ca464ce7",
      timestamp: 1600000860,
      fork: "Osaka",
      title: "The cabinet is closed, Bob is removed",
      uncles: [],
      transactions: [
        {
          hash: "0x8f62de4b66e98e429fe2546573b1f02319adc7a259015ed162aacf37a41aa724",
          type: "0x2",
          success: true,
          title: "close"
        },
        {
          hash: "0x31db6302c011f22dd61c5812d3e47d44afdf054cd45842cabdf6f40b071f00c6",
          type: "0x2",
          success: true,
          title: "remove"
        }
      ]
    },
    {
      number: 67,
      hash: "0x050bfa8065f49452d0f12bf224b4f4a3289fbcc3630e88b055da51412a5b61f2",
      timestamp: 1600000872,
      fork: "Osaka",
      title: "All five types in one block, one of them fails",
      uncles: [],
      transactions: [
        {
          hash: "0xf7379615916480e03b3879367f72bdc3b24a928d814cb68eedaa09314f9fcc97",
          type: "0x0",
          success: true,
          title: "Type 0"
        },
        {
          hash: "0x47b4ac340cd59b1c82fa8cfd5d6bfab7577734d7b74775023578421664a0d046",
          type: "0x1",
          success: true,
          title: "Type 1"
        },
        {
          hash: "0xc124dcde66f74f2f3b2da5470fa30c27118895a0ac646a716e8e98447907a33c",
          type: "0x2",
          success: false,
          title: "Type 2 fails"
        },
        {
          hash: "0xc4d2963d4107f47264fed0510feb6e7c5b96d3cf88b7bc7ba02e592968fdaa62",
          type: "0x3",
          success: true,
          title: "Type 3"
        },
        {
          hash: "0x9374d68052e1c39bc29549e535c12ca14836fba488ead50845a76a51a84b1253",
          type: "0x4",
          success: true,
          title: "Type 4"
        }
      ]
    },
    {
      number: 68,
      hash: "0xeb509fcb92a5bc9ecf25246c1d98f8181fbac4a4a50e24be32c20f915eed4331",
      timestamp: 1600000884,
      fork: "Osaka",
      title: "A last empty block",
      uncles: [],
      transactions: []
    },
    {
      number: 69,
      hash: "0xcece55b850dec36a74c08387caae6eb67b4616d06f489c0e123196c8ce248567",
      timestamp: 1600000896,
      fork: "Osaka",
      title: "The head",
      uncles: [],
      transactions: [
        {
          hash: "0x75e872a03e08a0c9bca2a2e9706f38848f2cabf519f8dc496dc6e207b65e0cf5",
          type: "0x2",
          success: true,
          title: "1 PLUMB to Ada"
        }
      ]
    }
  ]
}
