/** The variables of a contract by name: a tree at the left, and the slots of the selected variable at the right. */
import "./storage.css"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from "react"

import * as ExampleContracts from "../chain/ExampleContracts.ts"
import { Hash } from "../look/Hash.tsx"
import { count, grouped } from "../look/TextFormats.ts"
import { registry, useAtom } from "../look/useAtom.ts"
import { ContractField } from "../parts/ContractField.tsx"
import { ReadState } from "../parts/ReadState.tsx"
import { useExampleContracts } from "../parts/useExampleContracts.ts"
import { useKept } from "../parts/useKept.ts"
import { BlockVerdict } from "../parts/VerdictStrip.tsx"
import * as AccountState from "../proof/AccountState.ts"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import * as Router from "../route/Router.ts"
import * as ChosenLayouts from "../variables/ChosenLayouts.ts"
import { useLayout } from "../variables/useLayout.ts"
import { BlockBar } from "./BlockBar.tsx"
import * as ExampleKeys from "./ExampleKeys.ts"
import { ExampleVariables } from "./ExampleVariables.tsx"
import { LayoutTarget } from "./LayoutTarget.tsx"
import { TreeView } from "./TreeView.tsx"
import { VariableInspector } from "./VariableInspector.tsx"
import * as VariableSlots from "./VariableSlots.ts"
import * as VariableTree from "./VariableTree.ts"
import * as VariableValues from "./VariableValues.ts"

const BundlePanel = lazy(() => import("./BundlePanel.tsx"))

/** A place that names a contract. */
type Named = ConsoleRoute.StorageRoute & { readonly address: string }

const Storage = ({ place }: { readonly place: ConsoleRoute.StorageRoute }) =>
  place.address === undefined ? (
    <div className="page">
      <ContractField
        network={place.network}
        title="Variables of a contract"
        submit="Open its variables"
        example="cabinet"
        more={<ExampleVariables place={place} />}
        placeOf={(address) => ({ _tag: "Storage", network: place.network, address, block: "latest" })}
      >
        Reads a contract's variables by name, from the compiler's layout. Each word comes with its proof, which is
        checked in this page.
      </ContractField>
    </div>
  ) : (
    <Contract key={`${place.network} ${place.address}`} place={{ ...place, address: place.address }} />
  )

const Contract = ({ place }: { readonly place: Named }) => {
  const { entries, isExpected, named } = useLayout(place.network, place.address)
  return named !== undefined ? (
    <Variables place={place} named={named} entries={entries} />
  ) : (
    <div className="page">
      {isExpected ? <p className="quiet">Loading the layout of the contract</p> : <LayoutTarget place={place} />}
    </div>
  )
}

interface Shown {
  readonly place: Named
  readonly named: ChosenLayouts.NamedLayout
  readonly entries: ReadonlyArray<ChosenLayouts.TypedEntry>
}

const Variables = ({ entries: given, named, place }: Shown) => {
  const { address, at, block, from, network, trust } = place
  // an entry that the link names is read like one whose key was typed
  const own = useMemo(() => (at === undefined ? [] : VariableTree.entriesOf(named.layout, at)), [named, at])
  useEffect(() => ChosenLayouts.addEntries(network, address, own), [network, address, own])
  const entries = useMemo(() => ChosenLayouts.withEntries(given, own), [given, own])
  const paths = entries.map(({ path }) => path)
  const asked = { network, trust, address, layout: named.id, paths }
  const atom = VariableValues.of({ ...asked, block })
  const newest = useAtom(atom)
  const after = useKept(newest)
  const before = useAtom(VariableValues.of({ ...asked, block: from ?? block }))
  return (
    <ReadState result={after} what="the variables of the contract" again={() => registry.refresh(atom)}>
      {(values) => (
        <Sheet
          place={place}
          named={named}
          entries={entries}
          values={values}
          isReading={AsyncResult.isInitial(newest)}
          before={from !== undefined && AsyncResult.isSuccess(before) ? before.value : undefined}
          problem={from !== undefined && AsyncResult.isFailure(before) ? `Block ${from} could not be read.` : undefined}
        />
      )}
    </ReadState>
  )
}

const Sheet = ({
  before,
  entries,
  isReading,
  named,
  place,
  problem,
  values
}: Shown & {
  readonly values: VariableValues.VariableValues
  /** True while the values for the entries are being read. */
  readonly isReading: boolean
  readonly before: VariableValues.VariableValues | undefined
  readonly problem: string | undefined
}) => {
  const { address, at, network, trust } = place
  const { layout } = named
  const examples = useExampleContracts(network)
  const example = examples === undefined ? undefined : ExampleContracts.at(examples, address)
  const isExample = example !== undefined && named.name === ExampleContracts.NAMES[example]
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  const [openedFor, setOpenedFor] = useState<string>()
  // the row of the selected part is listed
  if (at !== undefined && at !== openedFor) {
    setOpenedFor(at)
    setOpened(new Set([...opened, ...VariableTree.ancestorsOf(layout, at)]))
  }
  const [isOnlyChanged, setOnlyChanged] = useState(false)
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set())
  const [isBundling, setBundling] = useState(false)
  const known = useMemo(() => ({ values: values.values, entries }), [values, entries])
  const changes = useMemo(
    () => (before === undefined ? [] : VariableTree.changes(layout, { values: before.values, entries }, known)),
    [before, entries, known, layout]
  )
  const isFiltered = isOnlyChanged && before !== undefined
  const rows = useMemo(() => {
    const hasChange = (path: string) => changes.some((change) => VariableTree.isWithin(change.path, path))
    return isFiltered
      ? VariableTree.rows(layout, known, hasChange, (path) =>
          changes.some((one) => VariableTree.isWithin(one.path, path) || VariableTree.isWithin(path, one.path))
        )
      : VariableTree.rows(layout, known, (path) => opened.has(path))
  }, [layout, known, opened, isFiltered, changes])
  const selected = at ?? rows[0]?.path
  const inspector = useRef<HTMLDivElement>(null)
  /** The path whose value is to be in view: that of a link, or of a row that the reader chose. */
  const chosen = useRef(at)
  /** The path of an entry that the reader asked for, until it is read. */
  const asked = useRef<string>(undefined)
  const select = (path: string, byKey = false): void => {
    if (!byKey) chosen.current = path
    if (path !== at) Router.go({ ...place, at: path }, { replace: byKey })
    // chosen again
    else if (!byKey) reveal(inspector.current)
  }
  const read = (path: string): void => {
    const more = VariableTree.entriesOf(layout, path)
    ChosenLayouts.addEntries(network, address, more.length === 0 ? [{ of: "", path }] : more)
    chosen.current = undefined
    asked.current = path
    if (path === at) showRow(path)
    else Router.go({ ...place, at: path })
  }
  const remove = (path: string): void => {
    ChosenLayouts.removeEntry(network, address, path)
    if (at !== undefined && VariableTree.isWithin(at, path)) Router.go({ ...place, at: undefined }, { replace: true })
  }
  // the value that the reader or a link chose is in view; an arrow key stays in the tree
  useEffect(() => {
    if (at !== undefined && chosen.current === at) reveal(inspector.current)
  }, [at])
  // an entry shows its value in its row, where the reader asked for it
  useEffect(() => {
    if (at === undefined || asked.current !== at) return
    inspector.current?.scrollTo(0, 0)
    showRow(at)
    if (!isReading) asked.current = undefined
  }, [at, isReading])
  const { block, isVerified } = values
  const trusted = isVerified ? trust : undefined
  const warning = AccountState.warningOf(values.account, "variable")
  return (
    <div className={`page storage ${isVerified ? "verified" : "claimed"}`}>
      <div className="lead">
        <div>
          <p className="value-name">{named.name}</p>
          <h1>{count(rows.filter(({ depth, isEntry }) => depth === 0 && !isEntry).length, "variable")}</h1>
          <p className="soft row wrap">
            {isExample ? <span>an example contract of this chain</span> : null}
            <span>
              of{" "}
              <Hash
                hex={address}
                link={ConsoleRoute.link({ _tag: "Account", network, address, block: block.hash, trust: trusted })}
              />
            </span>
            <span>
              at{" "}
              <a href={ConsoleRoute.link({ _tag: "Block", network, block: block.hash, trust: trusted }).href}>
                block {grouped(block.number)}
              </a>
            </span>
            <a href={ConsoleRoute.link({ _tag: "Contract", network, address, block: block.hash, trust: trusted }).href}>
              Its functions
            </a>
            <button type="button" className="plain" onClick={() => ChosenLayouts.forget(network, address)}>
              Use another layout
            </button>
          </p>
        </div>
        <BlockVerdict place={place} hash={block.hash} isVerified={isVerified} isReading={isReading}>
          {isVerified
            ? "Every word is proven against the block that you trust. No block proves the names, which come from the layout."
            : "Every word is proven against this block, but only the node says that the block is on the chain."}
        </BlockVerdict>
      </div>
      {warning === undefined ? null : <p className="sheet inset problem mb-4">{warning}</p>}
      <BlockBar
        place={place}
        number={block.number}
        before={before?.block.number}
        changes={before === undefined ? undefined : changes.length}
        problem={problem}
        isOnlyChanged={isOnlyChanged}
        onOnlyChanged={setOnlyChanged}
      />
      <div className="storage-columns">
        <TreeView
          layout={layout}
          rows={rows}
          isReading={isReading}
          verdict={isVerified ? "VERIFIED" : "CLAIMED"}
          isUnset={(path) => VariableSlots.isUnset(layout, path, values.words)}
          examplesOf={(path) => (isExample ? ExampleKeys.of(network, example, path) : [])}
          changes={changes}
          selected={selected}
          picked={picked}
          onSelect={select}
          onRead={read}
          onRemove={remove}
          onToggle={(path) => setOpened(toggled(opened, path))}
          onPick={(path) => setPicked(toggled(picked, path))}
        />
        <div ref={inspector} className="column">
          {selected === undefined ? null : (
            <VariableInspector
              key={selected}
              place={place}
              layout={layout}
              path={selected}
              known={known}
              values={values}
              isReading={isReading}
              before={before}
              beforeKnown={before === undefined ? undefined : { values: before.values, entries }}
              onSelect={select}
            />
          )}
          {isBundling ? null : (
            <section className="sheet inset stack">
              <h2>Write a bundle</h2>
              <p className="soft">
                A bundle is one file with values and their proofs. A reader who trusts the block's hash verifies it
                without any network.
              </p>
              <p className="row wrap">
                <button type="button" className="button primary" onClick={() => setBundling(true)}>
                  Make a bundle
                </button>
                <span className="small quiet">
                  {picked.size === 0
                    ? "For all variables, or for those that you tick"
                    : `For ${count(picked.size, "ticked value")}`}
                </span>
              </p>
            </section>
          )}
          {isBundling ? (
            <Suspense fallback={<p className="quiet">Loading the bundler</p>}>
              <BundlePanel
                network={network}
                trust={trusted}
                address={address}
                block={block}
                layout={named}
                paths={picked.size === 0 ? [...values.values.keys()] : [...picked]}
                onClose={() => setBundling(false)}
              />
            </Suspense>
          ) : null}
        </div>
      </div>
    </div>
  )
}

/** The height of a variable's name, value and verdict, in pixels. */
const VALUE_HEIGHT = 160

/** Scrolls to the value of the selected variable, unless it is in view. */
const reveal = (inspector: HTMLElement | null): void => {
  if (inspector === null) return
  inspector.scrollTop = 0
  const { top } = inspector.getBoundingClientRect()
  const { scrollMarginTop } = getComputedStyle(inspector)
  if (top < Number.parseFloat(scrollMarginTop) - 1 || top + VALUE_HEIGHT >= innerHeight) inspector.scrollIntoView()
}

/** Scrolls to the row of a path, unless it is in view. */
const showRow = (path: string): void =>
  document
    .querySelector(`[data-path="${CSS.escape(path)}"]`)
    ?.closest("li")
    ?.scrollIntoView({ block: "nearest" })

const toggled = (set: ReadonlySet<string>, one: string): ReadonlySet<string> => {
  const next = new Set(set)
  if (!next.delete(one)) next.add(one)
  return next
}

export default Storage
