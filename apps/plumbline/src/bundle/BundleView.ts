import * as StorageKey from "@plumbline/eth-methods/model/StorageKey"
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import * as ProofBundle from "@plumbline/proof-bundle/bundle/ProofBundle"
import type { Published } from "@plumbline/proof-bundle/ipfs/BundleIpfs"
import type { Unnamed } from "@plumbline/proof-bundle/read/ProvenStorage"

import * as AnswerFields from "../answer/AnswerFields.ts"
import * as InBlockView from "../answer/InBlockView.ts"
import * as SlotView from "../storage/SlotView.ts"
import type { Style } from "../terminal/Style.ts"
import * as TerminalText from "../terminal/TerminalText.ts"
import * as Units from "../terminal/Units.ts"

/** Returns the lines under an answer that name its bundle. */
export const lines = (bundle: ProofBundle.ProofBundle, name: string, style: Style): ReadonlyArray<string> => [
  ...size(bundle, name, style),
  // the bundle proves only that there is no account, so a reader must name the address
  ...(bundle.accounts.length > 0 ? [] : [`  ${style.doubtful("It names no account. Verify it with --address.")}`])
]

/** Returns the lines that name a bundle and its size. */
export const size = (bundle: ProofBundle.ProofBundle, name: string, style: Style): ReadonlyArray<string> => [
  "",
  `  ${style.label("bundle")}  ${TerminalText.printable(name)}  ${style.faint(sizeOf(bundle))}`
]

/** Returns the lines that list the variables that a bundle lacks. */
export const missing = (paths: ReadonlyArray<string>, style: Style): ReadonlyArray<string> =>
  paths.length === 0
    ? []
    : [
        "",
        `  ${style.label("not in it")}`,
        ...TerminalText.flow(paths.map(TerminalText.printable), ", ", style.columns - 4).map((line) => `    ${line}`)
      ]

/** Returns the lines of proven words that have no name. */
export const unnamed = (words: ReadonlyArray<Unnamed>, style: Style): ReadonlyArray<string> => {
  if (words.length === 0) return []
  const more = words.length - MAX_WORDS
  return [
    "",
    `  ${style.label("without a name")}`,
    ...words
      .slice(0, MAX_WORDS)
      .flatMap(({ slot, slotHash, word }) => [
        slot === undefined
          ? `    a slot whose hash is ${slotHash}`
          : `    slot ${SlotView.nameOf(StorageKey.fromSlot(slot))}`,
        `      ${StorageKey.fromSlot(word)}`
      ]),
    ...(more > 0 ? [`    ${Units.count(more, "more", "more")}, all with --json`] : [])
  ]
}

/** Maximum number of words that are shown, because a bundle may prove thousands. */
const MAX_WORDS = 32

/** Returns a bundle's lines, part by part. */
export const whole = (bundle: ProofBundle.ProofBundle, style: Style): ReadonlyArray<string> => {
  const groups = [
    InBlockView.rows({ number: bundle.header.number!, hash: bundle.blockHash }),
    [{ field: "root", text: Cid.toText(bundle.root) }, ...accountsOf(bundle)],
    ProofBundle.parts(bundle).map(({ blocks, bytes, codec }) => ({
      field: codec,
      text: `${Units.count(blocks, "block")}, ${Units.count(bytes, "byte")}`
    }))
  ]
  const label = AnswerFields.labelWidth(groups.flat())
  return [
    style.title(`Proof bundle of ${sizeOf(bundle)}`),
    ...groups.flatMap((rows) => ["", ...AnswerFields.lines(rows, { style, claimed: new Set(), label })])
  ]
}

const accountsOf = ({ accounts }: ProofBundle.ProofBundle): ReadonlyArray<AnswerFields.FieldRow> => {
  const more = accounts.length - MAX_ACCOUNTS
  return [
    ...accounts.slice(0, MAX_ACCOUNTS).map((text) => ({ field: "account", text })),
    ...(more > 0 ? [{ field: "accounts", text: `${Units.count(more, "more", "more")}, all with --json` }] : [])
  ]
}

const MAX_ACCOUNTS = 32

/** Returns the lines that locate a bundle on IPFS. */
export const published = ({ blocks, bytes, list, root }: Published, style: Style): ReadonlyArray<string> => {
  const rows = [
    { field: "root", text: `${Cid.toText(root)}  the block` },
    { field: "list", text: `${Cid.toText(list)}  this bundle, pinned` },
    { field: "stored", text: `${Units.count(blocks, "block")}, ${Units.count(bytes, "byte")}` }
  ]
  return [
    style.title("Published"),
    "",
    ...AnswerFields.lines(rows, { style, claimed: new Set(), label: AnswerFields.labelWidth(rows) })
  ]
}

const sizeOf = (bundle: ProofBundle.ProofBundle): string =>
  `${Units.count(bundle.blocks.length, "block")}, ${Units.count(ProofBundle.encode(bundle).length, "byte")}`
