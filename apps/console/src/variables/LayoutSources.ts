/** The programs that write the layout of a contract into a file. */
import type { Explained } from "../programs/ProgramParts.ts"

/**
 * Returns the programs, each with a sentence about the file to choose. `chainId` is a number for a chain whose contracts
 * can be verified at Sourcify.
 *
 * Sources: `solc --help`; `forge inspect --help`; Hardhat's configuration, `solidity.settings`; `vyper --help`; the API of
 * Sourcify, `GET /v2/contract/{chainId}/{address}`.
 */
export const of = (address: string, chainId: number | undefined): ReadonlyArray<Explained> => [
  {
    name: "Solidity",
    how: "With the source code. Choose layout.json.",
    text: "solc --combined-json storage-layout,ast Vault.sol > layout.json"
  },
  {
    name: "Foundry",
    how: "In the folder of the project. Choose layout.json.",
    text: "forge inspect Vault storageLayout --json > layout.json"
  },
  {
    name: "Hardhat",
    how: "Choose the newest file in artifacts/build-info.",
    text: `// in hardhat.config.ts, beside the version of solidity
settings: { outputSelection: { "*": { "*": ["storageLayout"] } } }

// then in a shell
npx hardhat compile --force`
  },
  {
    name: "Vyper",
    how: "With the source code. Choose layout.json.",
    text: "vyper -f layout Vault.vy > layout.json"
  },
  ...(chainId === undefined
    ? []
    : [
        {
          name: "Sourcify",
          how: "Without the source code, if somebody verified the contract there. Choose layout.json.",
          text: `curl -o layout.json 'https://sourcify.dev/server/v2/contract/${chainId}/${address}?fields=storageLayout'`
        }
      ]),
  {
    name: "plumbline",
    how: "The command compiles the source code by itself, and needs no file.",
    text: `plumbline read ${address} --layout Vault.sol`
  }
]
