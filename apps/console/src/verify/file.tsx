/** The entry point of the verify screen as a single file, which opens without a server. */
import "../look/base.css"
import "../shell/shell.css"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"

import * as Theme from "../look/Theme.ts"
import { MicroscopeStage } from "../microscope/MicroscopeStage.tsx"
import * as CompilerFiles from "../variables/CompilerFiles.ts"
import { Microscope } from "./BundleMicroscope.ts"
import Verify from "./VerifyScreen.tsx"

Theme.start()
createRoot(document.getElementById("console")!).render(
  <StrictMode>
    <main>
      <Microscope value={(value) => <MicroscopeStage {...value} />}>
        <Verify compilerFiles={CompilerFiles} />
      </Microscope>
    </main>
  </StrictMode>
)
