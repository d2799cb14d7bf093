/** The entry of the verify screen as one file, which opens without any server. */
import "../look/base.css"
import "../shell/shell.css"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"

import * as Theme from "../look/Theme.ts"
import Verify from "./Verify.tsx"

Theme.start()
createRoot(document.getElementById("console")!).render(
  <StrictMode>
    <main>
      <Verify />
    </main>
  </StrictMode>
)
