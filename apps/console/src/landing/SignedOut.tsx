/** The landing for a reader who has no key: a recorded line, and the two ways in. */
import { useState } from "react"

import type { Network } from "../chain/ConsoleNetworks.ts"
import * as PageSession from "../chain/PageSession.ts"
import { setAtom } from "../look/useAtom.ts"
import { KeyForm } from "../parts/KeyForm.tsx"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import LandingLine from "./LandingLine.tsx"

const SignedOut = ({ network }: { readonly network: Network | undefined }) => {
  const [hasKey, setHasKey] = useState(false)
  return (
    <div className="split">
      <div className="column">
        <LandingLine network={undefined} trust={undefined} />
      </div>
      <aside className="column">
        <section className="sheet inset stack" aria-labelledby="ways-title">
          <h2 id="ways-title">Prove what this service says</h2>
          <p className="soft">
            {network === undefined
              ? "This service has no network with Ethereum's methods."
              : `It reads ${network.name} for its projects and its operators. The line beside is an example, recorded with this page and hashed in this browser: break it, and see where it fails.`}
          </p>
          <p className="row wrap">
            {network === undefined || hasKey ? null : (
              <button type="button" className="button primary" onClick={() => setHasKey(true)}>
                I have a key
              </button>
            )}
            <a className="button" href={ConsoleRoute.link({ _tag: "Overview" }).href}>
              I run this service
            </a>
          </p>
          {hasKey ? (
            <>
              <KeyForm submit="Use it" onKey={(key) => setAtom(PageSession.key, PageSession.redacted(key))} />
              <p className="small soft">It stays in the memory of this page, and is gone after a reload.</p>
            </>
          ) : null}
        </section>
      </aside>
    </div>
  )
}

export default SignedOut
