/**
 * The screens of the navigation, in three groups. `test/palette.test.ts` checks that each screen of a route is in one of
 * them.
 */
import type * as ConsoleRoute from "../route/ConsoleRoute.ts"

/** A screen of the navigation. */
export interface NavigationScreen {
  readonly name: string
  /** A sentence about the screen, for the search. */
  readonly does: string
  /** The kinds of routes that belong to the screen. */
  readonly tags: ReadonlyArray<ConsoleRoute.ConsoleRoute["_tag"]>
  /** Returns the first place of the screen; undefined if it needs a network and there is none. */
  readonly placeOf: (network: string | undefined) => ConsoleRoute.ConsoleRoute | undefined
}

/** A group of screens. */
export interface NavigationGroup {
  readonly name: string
  readonly screens: ReadonlyArray<NavigationScreen>
}

/** Returns the place of a screen that needs no network. */
const always = (place: ConsoleRoute.ConsoleRoute) => () => place

/** Returns the place of a screen of one network. */
const of =
  (placeOf: (network: string) => ConsoleRoute.ConsoleRoute) =>
  (network: string | undefined): ConsoleRoute.ConsoleRoute | undefined =>
    network === undefined ? undefined : placeOf(network)

/** The groups, in their order on the page. A new screen is one line. */
export const groups: ReadonlyArray<NavigationGroup> = [
  {
    name: "Look",
    screens: [
      {
        name: "Blocks",
        does: "The newest blocks, their transactions and accounts",
        tags: ["Network", "Block", "Transaction", "Account", "Name"],
        placeOf: of((network) => ({ _tag: "Network", network }))
      },
      {
        name: "Contracts",
        does: "Functions of a contract, each call run in this page",
        tags: ["Contract"],
        placeOf: of((network) => ({ _tag: "Contract", network, block: "latest" }))
      },
      {
        name: "Variables",
        does: "Variables of a contract by name, from its storage",
        tags: ["Storage"],
        placeOf: of((network) => ({ _tag: "Storage", network, block: "latest" }))
      },
      {
        name: "IPFS",
        does: "Files and folders, hashed again in this page",
        tags: ["Ipfs", "Commands"],
        placeOf: always({ _tag: "Ipfs" })
      },
      {
        name: "Pending",
        does: "Transactions that wait in a pool",
        tags: ["Pending"],
        placeOf: always({ _tag: "Pending" })
      }
    ]
  },
  {
    name: "Check",
    screens: [
      {
        name: "Prove",
        does: "A balance, a variable, a call or a transaction, from what you trust",
        tags: ["Prove", "Proof"],
        placeOf: of((network) => ({ _tag: "Prove", network }))
      },
      {
        name: "Verify a file",
        does: "A proof in a file, checked without the service",
        tags: ["Verify"],
        placeOf: always({ _tag: "Verify" })
      },
      {
        name: "See a lie",
        does: "A demonstration of lies, and of the checks that catch them",
        tags: ["Lies"],
        placeOf: of((network) => ({ _tag: "Lies", network }))
      },
      {
        name: "Methods",
        does: "Every method, with the verdict on its answer",
        tags: ["Playground"],
        placeOf: of((network) => ({ _tag: "Playground", network }))
      }
    ]
  },
  {
    name: "Run",
    screens: [
      {
        name: "Overview",
        does: "The state of this service, and the lies that its nodes told",
        tags: ["Overview"],
        placeOf: always({ _tag: "Overview" })
      },
      {
        name: "Projects",
        does: "Projects, keys and limits",
        tags: ["Projects", "Project", "Tokens"],
        placeOf: always({ _tag: "Projects" })
      },
      {
        name: "Alerts",
        does: "Alerts and webhooks",
        tags: ["Alerts", "Webhooks"],
        placeOf: always({ _tag: "Alerts" })
      },
      { name: "Audit", does: "Who changed what, and from where", tags: ["Audit"], placeOf: always({ _tag: "Audit" }) },
      {
        name: "Accounts",
        does: "Operators, their tokens and sessions",
        tags: ["Accounts"],
        placeOf: always({ _tag: "Accounts" })
      }
    ]
  }
]
