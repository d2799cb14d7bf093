/** A project's key and secret for the service's IPFS. They stay in the memory of the open page. */
import "./ipfsKeyField.css"
import * as Option from "effect/Option"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import { type ReactNode, useState } from "react"

import * as Session from "../chain/Session.ts"
import { setAtom, useAtom } from "../look/useAtom.ts"

/** Shows `children` if there is a key. Otherwise, shows the fields for entering a key. */
export const WithIpfsKey = ({
  children,
  what
}: {
  /** The purpose of the key, such as `to publish`. */
  readonly what: string
  readonly children: (key: Session.IpfsKey) => ReactNode
}) => {
  const start = useAtom(Session.start)
  const key = useAtom(Session.ipfsKey)
  const hasIpfs = Option.match(AsyncResult.value(start), { onNone: () => true, onSome: ({ ipfs }) => ipfs })
  if (!hasIpfs) return <p className="soft">This service has no IPFS. Give it a node in its settings.</p>
  return key === undefined ? <Fields what={what} /> : children(key)
}

const Fields = ({ what }: { readonly what: string }) => {
  const [key, setKey] = useState("")
  const [secret, setSecret] = useState("")
  const isWhole = [key, secret].every((text) => /^[\w-]{8,128}$/u.test(text.trim()))
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        if (isWhole) {
          setAtom(Session.ipfsKey, { key: Session.redacted(key.trim()), secret: Session.redacted(secret.trim()) })
        }
      }}
    >
      <p className="small soft">
        The service's IPFS takes a project's key and secret {what}. They stay in the memory of this page.
      </p>
      <div className="ipfs-key">
        <input
          className="field mono"
          type="password"
          autoComplete="off"
          aria-label="Key of your project"
          placeholder="key"
          value={key}
          onChange={({ target }) => setKey(target.value)}
        />
        <input
          className="field mono"
          type="password"
          autoComplete="off"
          aria-label="Secret of the key"
          placeholder="secret"
          value={secret}
          onChange={({ target }) => setSecret(target.value)}
        />
        <button type="submit" className="button" disabled={!isWhole}>
          Use them
        </button>
      </div>
    </form>
  )
}
