/** The tree of variables, with a field for the keys of each mapping. */
import type { Layout } from "@plumbline/storage-layout/layout/Layout"
import type * as StorageType from "@plumbline/storage-layout/layout/StorageType"
import * as Location from "@plumbline/storage-layout/location/Location"
import { Flaw, type Value } from "@plumbline/storage-layout/value/Value"
import * as Result from "effect/Result"
import { type CSSProperties, type KeyboardEvent, useId, useState } from "react"
import { flushSync } from "react-dom"

import { count } from "../look/TextFormats.ts"
import { type VerdictName, VerdictWord } from "../look/VerdictMark.tsx"
import * as ValueText from "../variables/ValueText.ts"
import type * as ExampleKeys from "./ExampleKeys.ts"
import * as VariableTree from "./VariableTree.ts"

interface Tools {
  readonly layout: Layout
  readonly changes: ReadonlyArray<VariableTree.VariableChange>
  readonly selected: string | undefined
  readonly picked: ReadonlySet<string>
  /** True while the values are being read. */
  readonly isReading: boolean
  readonly verdict: VerdictName
  /** True for an entry of a mapping whose words are all zero. */
  readonly isUnset: (path: string) => boolean
  /** The known entries of a mapping, for an example contract. */
  readonly examplesOf: (path: string) => ReadonlyArray<ExampleKeys.ExampleKey>
  /** Selects a row. `byKey` is true for an arrow key. */
  readonly onSelect: (path: string, byKey?: boolean) => void
  /** Reads the entry at a path, and selects it. */
  readonly onRead: (path: string) => void
  readonly onRemove: (path: string) => void
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
      onSelect(next.path, true)
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

const RowView = ({ row, ...tools }: Tools & { readonly row: VariableTree.TreeRow }) => {
  const { changes, isReading, isUnset, layout, onPick, onRemove, onSelect, onToggle, picked, selected } = tools
  const { depth, isEntry, isOpen, kind, name, path, type, value } = row
  const change = changes.find((one) => one.path === path)
  const within = changes.filter((one) => VariableTree.isWithin(one.path, path))
  const isChanged = within.length > 0
  const isSelected = selected === path
  const isMapping = kind === "Mapping"
  const isWhole = depth === 0 || isEntry
  const rest = Array.isArray(value) ? value.length - VariableTree.MAX_PARTS : 0
  const text = (
    <span className="tree-text">
      {value === undefined
        ? isReading
          ? "reading"
          : "not read"
        : summary(type, value, layout, isEntry ? LONG : SHORT)}
      {isChanged ? `, ${within.length} changed` : ""}
    </span>
  )
  return (
    <>
      <li
        className={`tree-row${isMapping ? " mapping" : ""}${isEntry ? " entry" : ""}${isSelected ? " selected" : ""}${isChanged ? " changed" : ""}`}
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
          <span className="tree-type">{typeText(type, layout)}</span>
          {isMapping ? null : change === undefined ? (
            text
          ) : (
            <span className="tree-text two">
              <span className="quiet">{sideText(change.from, type, layout)}</span>
              <span aria-hidden="true">→</span>
              <span className="tree-after">{sideText(change.to, type, layout)}</span>
            </span>
          )}
        </button>
        {isMapping ? null : isWhole ? (
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
            onClick={() => onRemove(path)}
          >
            remove
          </button>
        ) : null}
        {isMapping ? <KeyBox {...tools} path={path} type={type as StorageType.Mapping} /> : null}
        {isEntry && value !== undefined ? (
          <p className="tree-verdict small soft row wrap">
            <VerdictWord word={tools.verdict} />
            {isUnset(path) ? <span>never written, or set to zero</span> : null}
            <button type="button" className="plain tree-more" onClick={() => onSelect(path)}>
              Its slots and proof
            </button>
          </p>
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

/** Maximum number of characters of a value beside its name, and of one below its key. */
const SHORT = 40
const LONG = 160

/** Formats a value in one line. A group that is longer than `most` characters has only the number of its parts. */
const summary = (type: StorageType.StorageType, value: Value, layout: Layout, most: number): string => {
  if (Array.isArray(value) && value.length === 0) return "empty"
  const text = ValueText.line(value, type, layout)
  if (text.length <= most) return text
  if (Array.isArray(value)) return count(value.length, "element")
  return type._tag === "Struct" && !(value instanceof Flaw) ? count(type.members.length, "member") : text
}

/** Scrolls to a text that appears below the field, unless it is in view. */
const inView = (text: HTMLElement | null): void => text?.scrollIntoView({ block: "nearest" })

/** A field for a key of a mapping, because the storage does not list the keys. */
const KeyBox = ({
  examplesOf,
  layout,
  onRead,
  path,
  type
}: Tools & { readonly path: string; readonly type: StorageType.Mapping }) => {
  const [text, setText] = useState("")
  const [problem, setProblem] = useState<string | undefined>(undefined)
  const id = useId()
  const key = layout.types.get(type.key)!
  const examples = examplesOf(path)
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
    flushSync(() => onRead(entry.success.path))
    setText("")
    setProblem(undefined)
    // a further mapping asks for its own key
    if (entry.success.type._tag === "Mapping") {
      document.querySelector<HTMLElement>(`[data-key-of="${CSS.escape(entry.success.path)}"]`)?.focus()
    }
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
          data-key-of={path}
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
        <p ref={inView} id={`${id}-problem`} role="alert" className="small problem">
          {problem}
        </p>
      )}
      {examples.length === 0 ? null : (
        <p className="tree-examples small soft row wrap">
          <span>Known keys:</span>
          {examples.map(({ keys, says }) => {
            const text = ValueText.shortPath(keys).slice(1, -1).replaceAll("][", ", ")
            return (
              <span key={keys}>
                <button
                  type="button"
                  className="plain small mono"
                  aria-label={`Read ${text} of ${path}`}
                  onClick={() => onRead(`${path}${keys}`)}
                >
                  {text}
                </button>{" "}
                {says}
              </span>
            )
          })}
        </p>
      )}
    </div>
  )
}

/** A field for any path: elements beyond those listed, and entries of mappings in arrays. */
const PathBox = ({ layout, onRead }: Tools) => {
  const [text, setText] = useState("")
  const [problem, setProblem] = useState<string | undefined>(undefined)
  const id = useId()
  const open = (): void => {
    const found = Location.locate(layout, text.trim())
    if (Result.isFailure(found)) {
      setProblem(reasonOf(found.failure))
      return
    }
    onRead(found.success.path)
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
        <p ref={inView} role="alert" className="small problem">
          {problem}
        </p>
      )}
    </form>
  )
}

/** Returns the reason why a path is wrong, without the position in the text. */
const reasonOf = ({ message }: { readonly message: string }): string => {
  const text = message.replace(/^character \d+ of the path: /u, "")
  return `${text.charAt(0).toUpperCase()}${text.slice(1, 240)}.`
}
