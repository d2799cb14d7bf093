/**
 * The search. It accepts a hash, a number, an address, a name or a CID. While the reader types, it shows which of these it
 * recognised.
 */
import { useId, useState } from "react"

import * as PageSession from "../chain/PageSession.ts"
import { setAtom } from "../look/useAtom.ts"
import { recognise } from "../route/Recognise.ts"
import * as Router from "../route/Router.ts"

/** The search field. Hashes and numbers are looked up on `network`. */
export const Search = ({ network }: { readonly network: string }) => {
  const [text, setText] = useState("")
  const hint = useId()
  const { place, says } = recognise(text, network)
  return (
    <form
      className="search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault()
        if (place === undefined) return
        setAtom(PageSession.typed, place._tag === "Transaction" ? place.hash : undefined)
        Router.go(place)
        setText("")
        document.getElementById("content")?.focus()
      }}
    >
      <input
        id="search"
        className="field"
        aria-label="Search the chain"
        aria-describedby={hint}
        placeholder="Hash, number, address, name or CID"
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={({ key, currentTarget }) => {
          if (key !== "Escape") return
          setText("")
          currentTarget.blur()
        }}
      />
      <kbd aria-hidden="true">/</kbd>
      <p id={hint} className={says === "" ? "spoken" : "taken-for"} aria-live="polite">
        {says}
        {place === undefined || says === "" ? "" : ". Press Enter."}
      </p>
    </form>
  )
}
