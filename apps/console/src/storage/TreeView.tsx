/** The tree of variables, with a field for the keys of each mapping. */
import type { Layout } from "@plumbline/storage-layout/layout/Layout"
import type * as StorageType from "@plumbline/storage-layout/layout/StorageType"
import * as Location from "@plumbline/storage-layout/location/Location"
import * as Result from "effect/Result"
import { type CSSProperties, type KeyboardEvent, useId, useState } from "react"

import { count } from "../look/TextFormats.ts"
import * as ChosenLayouts from "../variables/ChosenLayouts.ts"
import * as ValueText from "../variables/ValueText.ts"
import * as VariableTree from "./VariableTree.ts"

interface Tools {
  readonly network: string
  readonly address: string
  readonly layout: Layout
  readonly changes: ReadonlyArray<VariableTree.VariableChange>
  readonly selected: string | undefined
  readonly picked: ReadonlySet<string>
  readonly onSelect: (path: string) => void
  readonly onToggle: (path: string) => void
  readonly onPick: (path: string) => void
}

/** The tree. */
export const TreeView = ({ rows, ...tools }: Tools & { readonly rows: ReadonlyArray<VariableTree.TreeRow> }) => {
  const { onSelect, onToggle, selected } = tools
  const move = (event: KeyboardEvent): void => {
    if (event.target instanceof HTMLInputElement) return
    const at = rows.findIndex(({ path }) => path === selected)
    const row = rows[at]
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const next = rows[Math.min(rows.length - 1, Math.max(0, at + (event.key === "ArrowDown" ? 1 : -1)))]
      if (next === undefined) return
      onSelect(next.path)
      const shown = document.querySelector<HTMLElement>(`[data-path="${CSS.escape(next.path)}"]`)
      shown?.focus()
    } else if (row?.kind === "Group" && event.key === (row.isOpen ? "ArrowLeft" : "ArrowRight")) onToggle(row.path)
    else return
    event.preventDefault()
  }
  return (
    <section className="sheet tree" aria-label="Variables">
      {/* the rows are buttons; the arrow keys are a shortcut */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <ul onKeyDown={move}>
        {rows.map((row) => (
          <RowView key={row.path} row={row} {...tools} />
        ))}
      </ul>
      {rows.length === 0 ? <p className="inset soft">No listed variable changed between these blocks.</p> : null}
      <PathBox {...tools} />
    </section>
  )
}

const RowView = ({
  changes,
  onPick,
  onSelect,
  onToggle,
  picked,
  row,
  selected,
  ...tools
}: Tools & { readonly row: VariableTree.TreeRow }) => {
  const { depth, isEntry, isOpen, kind, name, path, type, value } = row
  const { address, network } = tools
  const change = changes.find((one) => one.path === path)
  const within = changes.filter((one) => VariableTree.isWithin(one.path, path))
  const isChanged = within.length > 0
  const isSelected = selected === path
  const isWhole = depth === 0 || isEntry
  const rest = Array.isArray(value) ? value.length - VariableTree.MAX_PARTS : 0
  return (
    <>
      <li
        className={`tree-row${kind === "Mapping" ? " mapping" : ""}${isSelected ? " selected" : ""}${isChanged ? " changed" : ""}`}
        style={{ "--depth": depth } as CSSProperties}
      >
        {kind === "Group" ? (
          <button
            type="button"
            className="twist"
            aria-expanded={isOpen}
            aria-label={`Parts of ${path}`}
            onClick={() => onToggle(path)}
          >
            <svg className="icon" viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">
              <path d={isOpen ? "M1 3l4 4 4-4" : "M3 1l4 4-4 4"} />
            </svg>
          </button>
        ) : (
          <span className="twist" />
        )}
        <button
          type="button"
          className="tree-value"
          data-path={path}
          aria-current={isSelected ? "true" : undefined}
          onClick={() => onSelect(path)}
        >
          <span className="tree-name" title={name.length > NAME ? name : undefined}>
            {ValueText.shortPath(name)}
          </span>
          <span className="tree-type">{typeText(type, tools.layout)}</span>
          {kind === "Mapping" ? null : change === undefined ? (
            <span className="tree-text">
              {summary(type, value, tools.layout)}
              {isChanged ? `, ${within.length} changed` : ""}
            </span>
          ) : (
            <span className="tree-text two">
              <span className="quiet">{sideText(change.from, type, tools.layout)}</span>
              <span aria-hidden="true">→</span>
              <span className="tree-after">{sideText(change.to, type, tools.layout)}</span>
            </span>
          )}
        </button>
        {kind === "Mapping" ? (
          <KeyBox {...tools} onSelect={onSelect} path={path} type={type as StorageType.Mapping} />
        ) : isWhole ? (
          <input
            type="checkbox"
            className="tick"
            aria-label={`Put ${path} into a bundle`}
            checked={picked.has(path)}
            onChange={() => onPick(path)}
          />
        ) : (
          <span />
        )}
        {isEntry ? (
          <button
            type="button"
            className="plain small drop"
            aria-label={`Remove ${path} from the list`}
            onClick={() => ChosenLayouts.removeEntry(network, address, path)}
          >
            remove
          </button>
        ) : null}
      </li>
      {isOpen && rest > 0 ? (
        <li className="tree-row small quiet" style={{ "--depth": depth + 1 } as CSSProperties}>
          <span />
          <span>{count(rest, "more element")}: name one by its path below</span>
        </li>
      ) : null}
    </>
  )
}

/** Returns the text of one side of a change. */
const sideText = (value: VariableTree.VariableChange["from"], type: StorageType.StorageType, layout: Layout): string =>
  value === undefined ? "none" : ValueText.line(value, type, layout)

/** Maximum number of characters of a name that is never shortened. */
const NAME = 22

/** Returns the type without its kind and contract: `struct Cabinet.Point[]` becomes `Point[]`. */
const typeText = (type: StorageType.StorageType, layout: Layout): string => {
  if (type._tag !== "Mapping") return type.label.replace(/^(?:struct|enum|contract) (?:[^.]*\.)?/u, "")
  let keys = 0
  for (let at: StorageType.StorageType = type; at._tag === "Mapping"; at = layout.types.get(at.value)!) keys++
  return keys === 1 ? "mapping" : `mapping by ${keys} keys`
}

/** Formats a value in one line. For a group, it gives only the number of its parts. */
const summary = (type: StorageType.StorageType, value: VariableTree.TreeRow["value"], layout: Layout): string => {
  if (value === undefined) return "not read"
  if (Array.isArray(value)) return value.length === 0 ? "empty" : count(value.length, "element")
  if (type._tag === "Struct") return `${type.members.length} members`
  return ValueText.line(value, type, layout)
}

/** A field for a key of a mapping, because the storage does not list the keys. */
const KeyBox = ({
  address,
  layout,
  network,
  onSelect,
  path,
  type
}: Pick<Tools, "network" | "address" | "layout" | "onSelect"> & {
  readonly path: string
  readonly type: StorageType.Mapping
}) => {
  const [text, setText] = useState("")
  const [problem, setProblem] = useState<string | undefined>(undefined)
  const id = useId()
  const key = layout.types.get(type.key)!
  const add = (): void => {
    if (text === "") {
      setProblem(`Enter a key first: ${key.label === "string" ? 'a text, or "" for the empty text' : key.label}.`)
      return
    }
    const isText = (key._tag === "DynamicBytes" || key._tag === "BoundedBytes") && key.text
    const written = isText && !/^".*"$/u.test(text.trim()) ? JSON.stringify(text) : text.trim()
    const entry = Location.locate(layout, `${path}[${written}]`)
    if (Result.isFailure(entry)) {
      setProblem(reasonOf(entry.failure))
      return
    }
    ChosenLayouts.addEntry(network, address, { of: path, path: entry.success.path })
    // a further mapping asks for its own key first
    if (entry.success.type._tag !== "Mapping") onSelect(entry.success.path)
    setText("")
    setProblem(undefined)
  }
  return (
    <div className="tree-key">
      <form
        className="row"
        onSubmit={(event) => {
          event.preventDefault()
          add()
        }}
      >
        <input
          id={id}
          className="field mono"
          aria-label={`Key of ${path}: ${key.label}`}
          aria-invalid={problem !== undefined}
          aria-describedby={problem === undefined ? undefined : `${id}-problem`}
          placeholder={`key: ${typeText(key, layout)}`}
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <button type="submit" className="button">
          Read
        </button>
      </form>
      {problem === undefined ? null : (
        <p id={`${id}-problem`} role="alert" className="small problem">
          {problem}
        </p>
      )}
    </div>
  )
}

/** A field for any path: elements beyond those listed, and entries of mappings in arrays. */
const PathBox = ({ address, layout, network, onSelect }: Tools) => {
  const [text, setText] = useState("")
  const [problem, setProblem] = useState<string | undefined>(undefined)
  const id = useId()
  const open = (): void => {
    const found = Location.locate(layout, text.trim())
    if (Result.isFailure(found)) {
      setProblem(reasonOf(found.failure))
      return
    }
    const { path } = found.success
    ChosenLayouts.addEntry(network, address, { of: parentOf(layout, path), path })
    onSelect(path)
    setText("")
    setProblem(undefined)
  }
  return (
    <form
      className="inset ruled path-box"
      onSubmit={(event) => {
        event.preventDefault()
        if (text.trim() === "") setProblem("Enter a path first.")
        else open()
      }}
    >
      <label className="small soft" htmlFor={id}>
        Any path, such as <code>list[70].owner</code>
      </label>
      <div className="row">
        <input
          id={id}
          className="field mono"
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <button type="submit" className="button">
          Read
        </button>
      </div>
      {problem === undefined ? null : (
        <p role="alert" className="small problem">
          {problem}
        </p>
      )}
    </form>
  )
}

/**
 * Returns the mapping that lists the entry at a path. Returns the empty text if the path does not name an entry.
 */
const parentOf = (layout: Layout, path: string): string => {
  const parent = path.endsWith("]") ? path.slice(0, openingOf(path)) : ""
  const found = parent === "" ? undefined : Result.getOrUndefined(Location.locate(layout, parent))
  return found?.type._tag === "Mapping" ? parent : ""
}

/** Returns the position of the bracket that opens the last key. A quoted key may contain brackets. */
const openingOf = (path: string): number => {
  const quoted = /\["(?:[^"\\]|\\.)*"\]$/u.exec(path)
  return quoted === null ? path.lastIndexOf("[") : quoted.index
}

/** Returns the reason why a path is wrong, without the position in the text. */
const reasonOf = ({ message }: { readonly message: string }): string => {
  const text = message.replace(/^character \d+ of the path: /u, "")
  return `${text.charAt(0).toUpperCase()}${text.slice(1, 240)}.`
}
