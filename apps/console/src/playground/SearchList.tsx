/** A list with a search: the methods of a network, or the commands of IPFS. */
import { type ReactNode, useState } from "react"

import { StatePanel } from "../look/StatePanel.tsx"

/** A method or a command in the list. */
export interface ListedItem {
  readonly name: string
  readonly doc: string
  readonly topic: string
}

/** Shows the entries by topic, with a field that narrows them. `children` stands between the field and the list. */
export const SearchList = <A extends ListedItem>({
  children,
  hrefOf,
  noun,
  placeholder,
  remark,
  search,
  searchesBy
}: {
  /** The word for an entry: `method` or `command`. */
  readonly noun: string
  readonly placeholder: string
  /** Names what the search compares, such as `by name`. */
  readonly searchesBy: string
  readonly search: (text: string) => ReadonlyArray<A>
  readonly hrefOf: (entry: A) => string
  /** The short text at the end of an entry's line. */
  readonly remark: (entry: A) => string
  readonly children?: ReactNode
}) => {
  const [text, setText] = useState("")
  const found = search(text)
  return (
    <>
      <input
        className="field find"
        type="search"
        aria-label={`Find a ${noun}`}
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      {children}
      {found.length === 0 ? (
        <StatePanel kind="Nothing found" title={`No ${noun} fits “${text}”`} text={`Search ${searchesBy}.`}>
          <button type="button" className="button primary" onClick={() => setText("")}>
            Show all {noun}s
          </button>
        </StatePanel>
      ) : (
        [...Map.groupBy(found, ({ topic }) => topic)].map(([topic, some]) => (
          <section key={topic} className="sheet">
            <header>
              <h2>{topic}</h2>
            </header>
            <ul className="methods">
              {some.map((entry) => (
                <li key={entry.name}>
                  <a href={hrefOf(entry)} className="mono">
                    {entry.name}
                  </a>
                  <span className="soft">{entry.doc}</span>
                  <span className="small quiet">{remark(entry)}</span>
                </li>
              ))}
            </ul>
          </section>
        ))
      )}
    </>
  )
}
