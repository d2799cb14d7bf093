/** Contracts and accounts of the embedded chains, for readers who want to see a screen before they have an address. */

/** The contracts by their names in the source. The console has the layout of each. */
export const NAMES = {
  cabinet: "Cabinet",
  token: "Token",
  counter: "Counter",
  counterV2: "CounterV2",
  proxy: "Proxy"
} as const

/** A few words about each contract. */
export const SAYS: Readonly<Record<keyof typeof NAMES, string>> = {
  cabinet: "a variable of each kind",
  token: "an ERC-20 token",
  counter: "a number that counts",
  counterV2: "the code behind Proxy",
  proxy: "a proxy of ERC-1967"
}

/** The addresses of a chain's contracts, in lower case. */
export type ExampleContracts = Readonly<Record<keyof typeof NAMES, string>>

/** Accounts with ether, the same on each chain. */
export const ACCOUNTS: ReadonlyArray<string> = [
  "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
  "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
  "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc"
]

const TOKEN = "0x5fbdb2315678afecb367f032d93f642f64180aa3"

/** The chains, by the network's name. A development chain of a reader can have the same id, and other contracts. */
const CHAINS: ReadonlyMap<string, { readonly chainId: number; readonly contracts: ExampleContracts }> = new Map([
  [
    "live",
    {
      chainId: 31337,
      contracts: {
        cabinet: "0x2279b7a0a67db372996a5fab50d91eaa73d2ebe6",
        token: TOKEN,
        counter: "0xe7f1725e7734ce288f8367e1bb143e90bb3f0512",
        counterV2: "0x0165878a594ca255338adfa4d48449f69242eb8f",
        proxy: "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0"
      }
    }
  ],
  [
    "history",
    {
      chainId: 7771,
      contracts: {
        cabinet: "0x09635f643e140090a9a8dcd712ed6285858cebef",
        token: TOKEN,
        counter: "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
        counterV2: "0xc5a5c42992decbae36851359345fe25997f5c42d",
        proxy: "0xcf7ed3acca5a467e9e704c703e8d87f634fb0fc9"
      }
    }
  ]
])

/** Returns the contracts of a network; undefined if it is not an embedded chain. */
export const of = (
  network: { readonly name: string; readonly chainId: number | string } | undefined
): ExampleContracts | undefined => {
  const chain = network && CHAINS.get(network.name)
  return chain?.chainId === network?.chainId ? chain?.contracts : undefined
}

/** Returns the contract that has an address; undefined if none has. */
export const at = (contracts: ExampleContracts, address: string | undefined): keyof ExampleContracts | undefined =>
  (Object.keys(NAMES) as ReadonlyArray<keyof ExampleContracts>).find((id) => contracts[id] === address?.toLowerCase())
