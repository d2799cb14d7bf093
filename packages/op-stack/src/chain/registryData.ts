/**
 * The chains and the contract releases of the public registry.
 *
 * Made by `scripts/make-registry.ts`: do not edit. Sources:
 * - chains.json: github.com/ethereum-optimism/superchain-registry, commit 8336d2aedd19b87a57b01ae36ba4afef8ea377d0, license MIT
 * - base.json: github.com/op-rs/kona, commit cdb9be247e4178741d152e475e523883a31c4dbe, license MIT
 * - contract-versions.json: github.com/ethereum-optimism/superchain-registry, commit 8336d2aedd19b87a57b01ae36ba4afef8ea377d0, license MIT
 */
import type { OpStackChain } from "./OpStackChain.ts"

/** The chains, by ascending id. */
export const chains: ReadonlyArray<OpStackChain> = [
  {
    chainId: 10n,
    name: "OP Mainnet",
    l1ChainId: 1n,
    systemConfig: "0x229047fed2591dbec1ef1118d64f7af3db9eb290",
    forks: {
      canyon: 1704992401n,
      ecotone: 1710374401n,
      fjord: 1720627201n,
      granite: 1726070401n,
      holocene: 1736445601n,
      isthmus: 1746806401n,
      jovian: 1764691201n,
      karst: 1783526401n
    }
  },
  {
    chainId: 130n,
    name: "Unichain",
    l1ChainId: 1n,
    systemConfig: "0xc407398d063f942febbcc6f80a156b47f3f1bda6",
    forks: {
      canyon: 0n,
      ecotone: 0n,
      fjord: 0n,
      granite: 0n,
      holocene: 1736445601n,
      isthmus: 1746806401n,
      jovian: 1764691201n,
      karst: 1783526401n
    }
  },
  {
    chainId: 360n,
    name: "Shape",
    l1ChainId: 1n,
    systemConfig: "0xff11e41d5c4f522e423ff6c064ff8d55af8f7355",
    forks: { canyon: 0n, ecotone: 0n, fjord: 0n, granite: 1727370000n }
  },
  {
    chainId: 480n,
    name: "World Chain",
    l1ChainId: 1n,
    systemConfig: "0x6ab0777fd0e609ce58f939a7f70fe41f5aa6300a",
    forks: {
      canyon: 0n,
      ecotone: 0n,
      fjord: 1721826000n,
      granite: 1727780400n,
      holocene: 1738238400n,
      isthmus: 1764072000n,
      jovian: 1777593600n
    }
  },
  {
    chainId: 1135n,
    name: "Lisk",
    l1ChainId: 1n,
    systemConfig: "0x05f23282ffdca8286e4738c1af79079f3d843750",
    forks: {
      canyon: 1704992401n,
      ecotone: 1710374401n,
      fjord: 1720627201n,
      granite: 1726070401n,
      holocene: 1736445601n,
      isthmus: 1746806401n,
      jovian: 1764691201n,
      karst: 1783526401n
    }
  },
  {
    chainId: 1301n,
    name: "Unichain Sepolia Testnet",
    l1ChainId: 11155111n,
    systemConfig: "0xaee94b9ab7752d3f7704bde212c0c6a0b701571d",
    forks: {
      canyon: 0n,
      ecotone: 0n,
      fjord: 0n,
      granite: 0n,
      holocene: 1734559200n,
      isthmus: 1744905600n,
      jovian: 1763568001n,
      karst: 1781712001n
    }
  },
  {
    chainId: 1750n,
    name: "Metal L2",
    l1ChainId: 1n,
    systemConfig: "0x7bd909970b0eedcf078de6aeff23ce571663b8aa",
    forks: {
      canyon: 0n,
      ecotone: 0n,
      fjord: 1720627201n,
      granite: 1726070401n,
      holocene: 1736445601n,
      isthmus: 1746806401n,
      jovian: 1764691201n,
      karst: 1783526401n
    }
  },
  {
    chainId: 1868n,
    name: "Soneium",
    l1ChainId: 1n,
    systemConfig: "0x7a8ed66b319911a0f3e7288bddab30d9c0c875c3",
    forks: {
      canyon: 0n,
      ecotone: 0n,
      fjord: 0n,
      granite: 0n,
      holocene: 1738573200n,
      isthmus: 1746806401n,
      jovian: 1764691201n,
      karst: 1783526401n
    }
  },
  {
    chainId: 4801n,
    name: "World Chain Sepolia Testnet",
    l1ChainId: 11155111n,
    systemConfig: "0x166f9406e79a656f12f05247fb8f5dfa6155bcbf",
    forks: {
      canyon: 0n,
      ecotone: 0n,
      fjord: 1721739600n,
      granite: 1726570800n,
      holocene: 1737633600n,
      isthmus: 1761825600n,
      jovian: 1777161600n
    }
  },
  {
    chainId: 8453n,
    name: "Base",
    l1ChainId: 1n,
    systemConfig: "0x73a79fab69143498ed3712e519a88a918e1f4072",
    forks: {
      canyon: 1704992401n,
      ecotone: 1710374401n,
      fjord: 1720627201n,
      granite: 1726070401n,
      holocene: 1736445601n,
      isthmus: 1746806401n,
      jovian: 1764691201n
    }
  },
  {
    chainId: 34443n,
    name: "Mode",
    l1ChainId: 1n,
    systemConfig: "0x5e6432f18bc5d497b1ab2288a025fbf9d69e2221",
    forks: {
      canyon: 1704992401n,
      ecotone: 1710374401n,
      fjord: 1720627201n,
      granite: 1726070401n,
      holocene: 1736445601n,
      isthmus: 1746806401n,
      jovian: 1764691201n,
      karst: 1783526401n
    }
  },
  {
    chainId: 42220n,
    name: "Celo",
    l1ChainId: 1n,
    systemConfig: "0x89e31965d844a309231b1f17759ccaf1b7c09861",
    forks: { canyon: 0n, ecotone: 0n, fjord: 0n, granite: 0n, holocene: 1752073200n, isthmus: 1752073200n }
  },
  {
    chainId: 57073n,
    name: "Ink",
    l1ChainId: 1n,
    systemConfig: "0x62c0a111929fa32cec2f76adba54c16afb6e8364",
    forks: {
      canyon: 0n,
      ecotone: 0n,
      fjord: 0n,
      granite: 0n,
      holocene: 1742396400n,
      isthmus: 1746806401n,
      jovian: 1764691201n,
      karst: 1783526401n
    }
  },
  {
    chainId: 84532n,
    name: "Base Sepolia Testnet",
    l1ChainId: 11155111n,
    systemConfig: "0xf272670eb55e895584501d564afeb048bed26194",
    forks: {
      canyon: 1699981200n,
      ecotone: 1708534800n,
      fjord: 1716998400n,
      granite: 1723478400n,
      holocene: 1732633200n,
      isthmus: 1744905600n,
      jovian: 1763568001n
    }
  },
  {
    chainId: 763373n,
    name: "Ink Sepolia",
    l1ChainId: 11155111n,
    systemConfig: "0x05c993e60179f28bf649a2bb5b00b5f4283bd525",
    forks: {
      canyon: 1699981200n,
      ecotone: 1708534800n,
      fjord: 1716998400n,
      granite: 1723478400n,
      holocene: 1732633200n,
      isthmus: 1744905600n,
      jovian: 1763568001n,
      karst: 1781712001n
    }
  },
  {
    chainId: 7777777n,
    name: "Zora",
    l1ChainId: 1n,
    systemConfig: "0xa3cab0126d5f504b071b81a3e8a2bbbf17930d86",
    forks: {
      canyon: 1704992401n,
      ecotone: 1710374401n,
      fjord: 1720627201n,
      granite: 1726070401n,
      holocene: 1736445601n,
      isthmus: 1746806401n,
      jovian: 1764691201n,
      karst: 1783526401n
    }
  },
  {
    chainId: 11155420n,
    name: "OP Sepolia Testnet",
    l1ChainId: 11155111n,
    systemConfig: "0x034edd2a225f7f429a63e0f1d2084b9e0a93b538",
    forks: {
      canyon: 1699981200n,
      ecotone: 1708534800n,
      fjord: 1716998400n,
      granite: 1723478400n,
      holocene: 1732633200n,
      isthmus: 1744905600n,
      jovian: 1763568001n,
      karst: 1781712001n
    }
  }
]

/** The versions of the contracts' implementations, by address in lower case. */
export const implementations: {
  readonly optimismPortal: Readonly<Record<string, string>>
  readonly anchorStateRegistry: Readonly<Record<string, string>>
} = {
  optimismPortal: {
    "0x2d778797049fe9259d947d1ed8e5442226dfb589": "2.5.0",
    "0xe2f826324b2faf99e513d16d266c3f80ae87832b": "3.10.0",
    "0x35028bae87d71cbc192d545d38f960ba30b4b233": "3.10.0",
    "0x2d7e764a0d9919e16983a46595cfa81fc34fa7cd": "3.13.0",
    "0xb443da3e07052204a02d630a8933dac05a0d6fb4": "3.14.0",
    "0xefed7f38bb9be74bba583a1a5b7d0fe7c9d5787a": "4.6.0",
    "0x381e729ff983fa4bced820e7b922d79bf653b999": "5.0.0",
    "0x7cf803296662e8c72a6c1d6450572209acf7f202": "5.1.1",
    "0x97cebbf8959e2a5476fbe9b98a21806ec234609b": "5.2.0",
    "0xe89f13c5ee4033b2d3cd76c9d6958efbfe26d3c2": "5.6.1",
    "0x1005217ad392dc64cef501fa1777a27d42166748": "5.8.0"
  },
  anchorStateRegistry: {
    "0x7b465370bb7a333f99edd19599eb7fb1c2d3f8d2": "2.2.2",
    "0xeb69cc681e8d4a557b30dffbad85affd47a2cf2e": "3.5.0",
    "0x36398155cd17cfe804f69b233edda800dd4d5aa5": "3.7.0",
    "0x8f40cc98d694ab986f026c5383a181fcc9b6b281": "3.9.0"
  }
}
