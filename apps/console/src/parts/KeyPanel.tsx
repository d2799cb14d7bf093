/** The panel that asks for an API key. */
import { useState } from "react"

import * as Session from "../chain/Session.ts"
import { StatePanel } from "../look/StatePanel.tsx"
import { setAtom, useAtom } from "../look/useAtom.ts"

/** A field for an API key, which stays in the memory of this page. */
const KeyPanel = ({ message }: { readonly message: string }) => {
  const [text, setText] = useState("")
  const isSet = useAtom(Session.key) !== undefined
  return (
    <StatePanel
      kind="A key is needed"
      title={message}
      text={
        isSet
          ? "It may have ended, been revoked, or not be for this network. Enter another one."
          : "It stays in the memory of this page: it never enters an address, a storage or a log, and is gone after a reload."
      }
    >
      <form
        className="row"
        style={{ flex: 1 }}
        onSubmit={(event) => {
          event.preventDefault()
          if (/^[\w-]{8,128}$/u.test(text.trim())) setAtom(Session.key, Session.redacted(text.trim()))
        }}
      >
        <input
          className="field mono"
          type="password"
          aria-label="API key"
          placeholder="API key"
          autoComplete="off"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <button type="submit" className="button primary">
          Use it
        </button>
      </form>
    </StatePanel>
  )
}

export default KeyPanel
