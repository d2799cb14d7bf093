/** A line about the user tokens of a project, on the page of the project. */
import type { Access } from "@plumbline/gateway-admin/api/AdminProject"

import { count } from "../look/TextFormats.ts"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"

/** The panel. */
export const TokensPanel = ({ id, tokens }: { readonly id: string; readonly tokens: Access["tokens"] }) => (
  <section className="sheet" aria-labelledby="tokens-title">
    <header>
      <h2 id="tokens-title">User tokens</h2>
      <a href={ConsoleRoute.link({ _tag: "Tokens", id }).href}>Open</a>
    </header>
    <p className="inset small soft">
      {tokens === null
        ? "None: a caller needs the key alone. Sign a token for each of your users to let them in by themselves."
        : `${count(tokens.keys, "public key")}; ${tokens.required ? "every call must carry a token" : "a call may carry a token"}.`}
    </p>
  </section>
)
