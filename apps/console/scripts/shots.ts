/**
 * The screens that pictures and browser tests visit: their addresses, and the selectors that show when they are ready.
 */
import * as path from "node:path"

import * as HistoryChain from "@plumbline/devnet/history/HistoryChain"
import type { BrowserContext, Page } from "playwright-core"

/** A screen in one state. */
export interface Shot {
  readonly name: string
  /** The path and query below the service's address. */
  readonly path: string
  /** A selector of an element that is on the screen once everything is read. */
  readonly ready: string
  /** The reader's steps before the picture. */
  readonly steps?: (page: Page) => Promise<void>
}

/** Block 69 of the embedded history, and a contract in that history with packed variables. */
const BLOCK = HistoryChain.head.hash
const TOKEN = HistoryChain.contracts.token.address
const CABINET = HistoryChain.contracts.cabinet.address
/** A contract that is no example of the console. */
const ELDER = HistoryChain.contracts.elder.address
const SLOT = "0xa6d68219ab00b52ab8a280971ca73177d6410eb194deec46ec3fe561152cc9e2"

const UNCLED = HistoryChain.withUncles.find(({ uncles }) => uncles.length === 2)!.hash
const TRANSACTION = HistoryChain.transactions("0x2").at(0)!.hash
/** The transfer of one token in the newest block. */
const TRANSFER = HistoryChain.head.transactions[0]!.hash
const asked = async (page: Page): Promise<void> => {
  await page.click(".playground form .button.primary")
  await page.waitForSelector(".answer")
}
const proof = `/console/history/proof/${BLOCK}/slot/${CABINET}/${SLOT}`
const line = ".line .bob"
/** The layout of the cabinet. */
export const LAYOUT = path.resolve(import.meta.dirname, "../../../packages/devnet/state/layouts/Cabinet.json")
const storage = `/console/history/storage/${CABINET}/${BLOCK}`

/** The member of the cabinet that joined at block 43. */
export const MEMBER = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8"

/** Names an entry of a mapping, and opens its parts. */
const withMember = async (page: Page): Promise<void> => {
  await page.fill("[aria-label^='Key of members']", MEMBER)
  await page.keyboard.press("Enter")
  await page.click(`[aria-label='Parts of members[${MEMBER}]']`)
  await page.click(`[data-path='members[${MEMBER}].score']`)
  // the word of the slot is read after the name is shown
  await page.waitForSelector(".slot-bytes")
}

const contract = (address: string): string => `/console/history/contract/${address}/${BLOCK}`

/** Functions of the cabinet and the token, as a reader writes them. */
export const ABI = `function owner() view returns (address)
function phase() view returns (uint8)
function temperature() view returns (int16)
function title() view returns (string)
function members(address who) view returns (uint64 since, uint32 score, bool active, string nickname)
function corners(uint256) view returns (int128 x, int128 y)
function totalSupply() view returns (uint256)
function transfer(address to, uint256 value) returns (bool)
error InsufficientBalance(address owner, uint256 balance, uint256 needed)`

/** Gives an ABI to the screen of a contract. */
export const withAbi = async (page: Page, abi = ABI): Promise<void> => {
  // the browser still has the ABI of an earlier picture
  if ((await page.locator(".functions").count()) > 0) await page.click("text=Use another ABI")
  await page.fill("textarea", abi)
  await page.click("text=Use this ABI")
  await page.waitForSelector(".functions li")
}

/** Opens a function, fills its arguments, and reads it. */
export const readFunction = async (page: Page, name: string, texts: ReadonlyArray<string>): Promise<void> => {
  const item = page.locator(`[data-function=${name}]`)
  await item.locator("summary").click()
  for (const [at, text] of texts.entries()) await item.locator("input, textarea").nth(at).fill(text)
  await item.locator("button[type=submit]").click()
  await item.locator(".call-result").waitFor()
}

/** Accepts the anchor of the service, and waits for the verdict. */
const hung = async (page: Page): Promise<void> => {
  await page.click(".ask .button.primary")
  await page.waitForSelector(".landing-line .chip.verified", { timeout: 60_000 })
  await page.waitForSelector("aside .word")
}

/** The screens, on the embedded networks. */
export const all: ReadonlyArray<Shot> = [
  { name: "landing", path: "/console/", ready: ".landing-line .line .bob", steps: hung },
  {
    name: "landing-broken",
    path: "/console/",
    ready: ".landing-line .line .bob",
    steps: async (page) => {
      await hung(page)
      await page.click("text=Break it")
      await page.waitForSelector(".tear")
    }
  },
  {
    name: "palette",
    path: "/console/history",
    ready: "table tbody tr",
    steps: async (page) => {
      await page.keyboard.press("Control+k")
      await page.fill("#search", "17")
      await page.waitForSelector("[role=option]")
    }
  },
  { name: "blocks", path: "/console/history", ready: "table tbody tr" },
  { name: "block", path: `/console/history/block/${UNCLED}?trust=${UNCLED}`, ready: ".fact-grid" },
  { name: "block-claimed", path: "/console/live/block/latest", ready: ".fact-grid" },
  { name: "transaction", path: `/console/history/tx/${TRANSACTION}`, ready: ".fact-grid" },
  {
    name: "transaction-token",
    path: `/console/history/tx/${TRANSFER}?trust=${BLOCK}`,
    ready: "[data-part=logs] .number",
    steps: async (page) => {
      await page.click("summary:has-text('Fields and bytes')")
      await page.waitForSelector(".fields li")
    }
  },
  { name: "prove", path: "/console/history/prove", ready: "#subject" },
  { name: "account", path: `/console/history/account/${CABINET}/${BLOCK}?trust=${BLOCK}`, ready: "#slot" },
  {
    name: "microscope-uncle",
    path: `/console/history/proof/${UNCLED}/uncles/1/miner?trust=${UNCLED}&at=uncles`,
    ready: line
  },
  { name: "microscope", path: `${proof}?trust=${BLOCK}&at=storage.2`, ready: line },
  { name: "microscope-claimed", path: proof, ready: line },
  { name: "microscope-broken", path: `${proof}?trust=${BLOCK}&broken=storage.2:40:3`, ready: ".tear" },
  { name: "playground", path: "/console/history/playground", ready: ".methods a" },
  {
    name: "playground-form",
    path: `/console/history/playground/eth_getProof?params=${encodeURIComponent(JSON.stringify([CABINET, [SLOT], "latest"]))}&trust=${BLOCK}`,
    ready: ".form",
    steps: asked
  },
  {
    name: "playground-claimed",
    path: `/console/history/playground/eth_gasPrice?params=[]`,
    ready: ".form",
    steps: asked
  },
  {
    name: "playground-error",
    path: `/console/history/playground/eth_feeHistory?params=${encodeURIComponent('["0x1","latest",[50,10]]')}`,
    ready: ".form",
    steps: async (page) => {
      await asked(page)
      await page.waitForSelector(".answer[data-outcome=FAILED]")
    }
  },
  {
    name: "playground-call",
    path: `/console/history/playground/eth_call?params=${encodeURIComponent(JSON.stringify([{ to: TOKEN, data: "0x18160ddd" }, { blockHash: BLOCK }]))}&trust=${BLOCK}`,
    ready: ".form",
    steps: async (page) => {
      await asked(page)
      await page.waitForSelector(line)
    }
  },
  { name: "playground-second", path: "/console/starknet-pool/playground", ready: ".methods a" },
  { name: "lies-value", path: "/console/history/lies/balance", ready: ".lie .tear" },
  { name: "lies-proof", path: "/console/history/lies/storage-proof-swap", ready: ".lie .tear" },
  { name: "lies-check", path: "/console/history/lies/receipt-gas", ready: ".lie .caught" },
  { name: "lies-claimed", path: "/console/history/lies/gas", ready: ".lie .caught" },
  { name: "lies-fault", path: "/console/history/lies/cut", ready: ".lie .caught" },
  { name: "ipfs", path: "/console/ipfs", ready: ".target, .state" },
  { name: "commands", path: "/console/ipfs/commands", ready: ".methods a" },
  {
    name: "commands-form",
    path: `/console/ipfs/commands/cat?params=${encodeURIComponent('[["bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq"],{"length":5}]')}`,
    ready: ".form"
  },
  { name: "pending-empty", path: "/console/pending", ready: ".pending-empty form" },
  { name: "storage-empty", path: "/console/history/storage", ready: "#contract" },
  { name: "storage-start", path: `/console/history/storage/${ELDER}/${BLOCK}`, ready: "#known" },
  { name: "storage", path: `${storage}?trust=${BLOCK}`, ready: ".tree-row", steps: withMember },
  { name: "storage-claimed", path: `${storage}?at=small`, ready: ".tree-row" },
  { name: "storage-entry", path: `${storage}?at=visits[${MEMBER}][18518]`, ready: ".tree-verdict" },
  {
    name: "storage-compared",
    path: `${storage}?trust=${BLOCK}&from=50&at=temperature`,
    ready: ".two-rulers"
  },
  {
    name: "storage-bundle",
    path: `${storage}?trust=${BLOCK}&at=owner`,
    ready: ".tree-row",
    steps: async (page) => {
      await page.click("[aria-label='Put owner into a bundle']")
      await page.click("text=Make a bundle")
      await page.waitForSelector(".blocks-picture li")
    }
  },
  { name: "contract-empty", path: "/console/history/contract", ready: "#contract" },
  { name: "contract-start", path: `${contract(TOKEN)}?trust=${BLOCK}`, ready: ".standards .answers" },
  {
    name: "contract-token",
    path: `${contract(TOKEN)}?trust=${BLOCK}`,
    ready: ".standards .answers",
    steps: async (page) => {
      await page.click(".standards .button.primary")
      await page.waitForSelector("[data-function=decimals] .call-result")
      await page.click("[data-function=totalSupply] .call-verdict button")
      await page.waitForSelector(line)
      await readFunction(page, "balanceOf", [HistoryChain.accounts[0]!.address])
    }
  },
  {
    name: "contract-claimed",
    path: contract(CABINET),
    ready: ".contract textarea, .functions",
    steps: async (page) => {
      await withAbi(page)
      await readFunction(page, "members", [MEMBER])
      await readFunction(page, "corners", ["1"])
      await page.waitForSelector("[data-function=title] .call-result")
    }
  },
  {
    name: "contract-reverted",
    path: `${contract(TOKEN)}?trust=${BLOCK}`,
    ready: ".contract textarea, .functions",
    steps: async (page) => {
      await withAbi(page)
      await readFunction(page, "transfer", [MEMBER, "7"])
      await page.waitForSelector("[data-function=totalSupply] .call-result")
    }
  },
  {
    name: "microscope-named",
    path: `${storage}?trust=${BLOCK}`,
    ready: ".tree-row",
    steps: async (page) => {
      await withMember(page)
      await page.click("text=Open the proof")
      await page.waitForSelector(line)
    }
  },
  {
    name: "verify-cid",
    path: "/console/verify?cid=bagiacgzaz3hflocq33bwu5gaqod4vltowz5umfwqn5ejydqsgglmrtreqvtq",
    ready: ".from-ipfs"
  },
  { name: "verify-empty", path: "/console/verify", ready: ".target" }
]

const named = (pattern: RegExp): ReadonlyArray<Shot> => all.filter(({ name }) => pattern.test(name))

/** The screens of contracts' functions and of calls. */
export const ofContracts: ReadonlyArray<Shot> = named(/^(?:contract|playground-call)/u)

/** The screens of contracts' storage, and of bundles on a node of IPFS. */
export const ofStorage: ReadonlyArray<Shot> = named(/^(?:storage|microscope-named|verify-cid)/u)

/** The gallery: the screens that the documentation shows. */
export const gallery: ReadonlySet<string> = new Set([
  "landing",
  "microscope",
  "microscope-broken",
  "storage",
  "overview"
])

/** Lets a browser accept the anchor of each address that it opens, like a reader who accepted it before. */
export const acceptLinks = (context: BrowserContext, more: ReadonlyArray<string> = []): Promise<unknown> =>
  context.addInitScript(`{
    const [, network] = /^\\/console\\/([^/]+)\\/./u.exec(location.pathname) ?? []
    const trust = new URLSearchParams(location.search).get("trust")
    const ids = JSON.parse(localStorage.getItem("plumbline-trusts") ?? "[]")
    const accepted = [...${JSON.stringify(more)}, ...(network !== undefined && trust !== null ? [network + " " + trust] : [])]
    if (accepted.length > 0) localStorage.setItem("plumbline-trusts", JSON.stringify([...accepted, ...ids]))
  }`)

/** Begins the session of an operator in a browser, as the sign-in does. */
export const signIn = async (context: BrowserContext, url: string, token: string): Promise<void> => {
  const answer = await context.request.post(`${url}/admin/v1/session`, {
    headers: { authorization: `Bearer ${token}` }
  })
  if (answer.status() !== 201) throw new Error(`the sign-in was refused with ${answer.status()}`)
  await context.addInitScript('localStorage.setItem("plumbline-signed-in", "yes")')
}

/** The screens of an operator, with a session. */
export const operator: ReadonlyArray<Shot> = [
  { name: "overview", path: "/console/overview", ready: ".traffic .series, .traffic .nothing" },
  {
    name: "overview-methods",
    path: "/console/overview?window=15m&by=method",
    ready: ".traffic .series, .traffic .nothing"
  },
  { name: "projects", path: "/console/projects", ready: ".projects" },
  {
    name: "project",
    path: "/console/projects",
    ready: ".projects a",
    steps: async (page) => {
      await page.click(".projects a >> nth=0")
      await page.waitForSelector(".project .use")
    }
  },
  {
    name: "project-card",
    path: "/console/projects",
    ready: ".projects a",
    steps: async (page) => {
      await page.click(".projects a >> nth=0")
      await page.click("section:has(#card-title) >> text=Edit…")
      await page.waitForSelector("[role=dialog]")
    }
  },
  {
    name: "tokens",
    path: "/console/projects",
    ready: ".projects a",
    steps: async (page) => {
      await page.click(".projects a >> nth=0")
      await page.click("section:has(#tokens-title) >> text=Open")
      await page.waitForSelector(".tokens .tabs")
    }
  },
  { name: "alerts", path: "/console/alerts", ready: ".alerts" },
  { name: "audit", path: "/console/audit", ready: ".audit" },
  { name: "accounts", path: "/console/accounts", ready: ".operators" },
  { name: "webhooks", path: "/console/webhooks", ready: ".webhooks" },
  {
    name: "webhook-new",
    path: "/console/webhooks",
    ready: ".webhooks",
    steps: async (page) => {
      await page.click("text=Make a webhook")
      await page.waitForSelector("[role=dialog]")
    }
  }
]
