/**
 * The palette: a search over what a text names, the places before, the screens and the actions.
 *
 * It follows the combobox pattern of ARIA: the field keeps the focus, and the arrow keys move the chosen entry.
 */
import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef, useState } from "react"

import * as PageSession from "../chain/PageSession.ts"
import { setAtom, useAtom } from "../look/useAtom.ts"
import { hangFrom } from "../parts/ServiceAnchor.tsx"
import { recognise } from "../route/Recognise.ts"
import type { EarlyText } from "./EarlySearch.tsx"
import { heightIn, nothingIn, type PaletteEntry, type PaletteFacts, searched, sectionsOf } from "./paletteEntries.ts"
import * as RecentPlaces from "./recentPlaces.ts"
import { useHeads } from "./useHeads.ts"

/** The palette as a modal dialog of the browser, which keeps the focus inside and closes at Escape. */
export const Palette = ({
  early,
  isReady,
  onClose,
  ...facts
}: Omit<PaletteFacts, "heads" | "recent"> & {
  readonly early: EarlyText
  /** True if everything is loaded that can have entries. */
  readonly isReady: boolean
  readonly onClose: () => void
}) => {
  const [text, setText] = useState(early.text)
  const [chosen, setChosen] = useState(0)
  const recent = useAtom(RecentPlaces.recentPlaces)
  const own = useRef<HTMLDialogElement>(null)
  const id = useId()
  const heads = useHeads(heightIn(text) === undefined ? NONE : searched(facts.network, facts.networks))
  const sections = sectionsOf(text, { ...facts, heads, recent })
  const entries = sections.flatMap(({ entries }) => entries)
  const nothing = nothingIn(text, sections, facts.network ?? "this service")
  const at = Math.min(chosen, entries.length - 1)
  useEffect(() => {
    document.getElementById(`${id}${at}`)?.scrollIntoView({ block: "nearest" })
  }, [id, at])
  const take = (entry: PaletteEntry | undefined): void => {
    if (entry === undefined) return
    own.current?.close()
    if (entry.place !== undefined) {
      setAtom(PageSession.typed, entry.typed)
      RecentPlaces.remember(entry)
      hangFrom(entry.place)
      document.getElementById("content")?.focus()
    }
    entry.run?.()
  }
  // before the next key, which goes to the focused field
  useLayoutEffect(() => {
    own.current?.showModal()
    own.current?.querySelector("input")?.setSelectionRange(early.text.length, early.text.length)
    // the palette is opened once
    // oxlint-disable-next-line react/exhaustive-deps
  }, [])
  // an Enter before the palette was loaded takes the first entry of all; a text that names a place can have it earlier
  const isEntered = useRef(early.isEntered)
  const canTake = isReady || (sections[0]?.name === "Found" && recognise(text, "").place !== undefined)
  useLayoutEffect(() => {
    if (!isEntered.current || !canTake) return
    isEntered.current = false
    take(entries[0])
    // only once the entries are there
    // oxlint-disable-next-line react/exhaustive-deps
  }, [canTake])
  const pressed = (event: KeyboardEvent): void => {
    const { key } = event
    // Enter can end the composition of a character
    if (event.nativeEvent.isComposing) return
    isEntered.current = false
    if (key === "ArrowDown" || key === "ArrowUp") {
      const step = key === "ArrowDown" ? 1 : entries.length - 1
      setChosen(entries.length === 0 ? 0 : (Math.max(0, at) + step) % entries.length)
    } else if (key === "Enter") take(entries[at])
    else return
    event.preventDefault()
  }
  const positions = new Map(entries.map(({ id }, position) => [id, position]))
  return (
    // a click on the backdrop is a click on the dialog itself
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions
    <dialog
      ref={own}
      className="palette"
      aria-label="Search"
      onClose={onClose}
      onClick={({ target }) => (target === own.current ? own.current?.close() : undefined)}
    >
      <input
        id="search"
        role="combobox"
        aria-label="Search the chain"
        aria-autocomplete="list"
        aria-expanded={entries.length > 0}
        aria-controls={`${id}list`}
        aria-activedescendant={at < 0 ? undefined : `${id}${at}`}
        placeholder="Block, transaction, address, name, CID or project"
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={({ target }) => {
          isEntered.current = false
          setText(target.value)
          setChosen(0)
        }}
        onKeyDown={pressed}
      />
      <p className={nothing === undefined ? "spoken" : "inset soft"} role="status">
        {nothing ?? (text === "" ? "" : `${entries.length} found`)}
      </p>
      <div id={`${id}list`} role="listbox" aria-label="Results">
        {sections.map(({ entries, name }) => (
          <div key={name} role="group" aria-label={name}>
            <p aria-hidden="true">{name}</p>
            {entries.map((entry) => {
              const own = positions.get(entry.id)!
              return (
                // the field handles the keys
                // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
                <div
                  key={entry.id}
                  id={`${id}${own}`}
                  role="option"
                  aria-selected={own === at}
                  onClick={() => take(entry)}
                  onPointerMove={() => setChosen(own)}
                >
                  <span className="kind">{entry.kind}</span>
                  <b>{entry.title}</b>
                  <span className="soft ellipsis">{entry.detail}</span>
                </div>
              )
            })}
          </div>
        ))}
      </div>
    </dialog>
  )
}

const NONE: ReadonlyArray<string> = []
