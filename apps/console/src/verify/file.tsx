/** The entry point of the verify screen as a single file, which opens without a server. */
import "../look/base.css"
import "../shell/shell.css"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"

import * as Theme from "../look/Theme.ts"
import { Scope } from "../microscope/Scope.tsx"
import { Microscope } from "./Microscope.ts"
import Verify from "./Verify.tsx"

Theme.start()
createRoot(document.getElementById("console")!).render(
  <StrictMode>
    <main>
      <Microscope value={(value) => <Scope {...value} />}>
        <Verify />
      </Microscope>
    </main>
  </StrictMode>
)
