/** The tests of the laboratory that `pnpm test` leaves out: `pnpm lab test`. */
import { configure } from "../vitest.shared.ts"

export default configure({
  members: ["lab/{bench,browser,calls,faults,ipfs,lies,mutants}"],
  heavy: ["lab/{browser,faults,ipfs,lies}/test/**/*.heavy.test.ts"],
  // the work that a request waits for includes what timers do meanwhile
  alone: ["lab/bench/test/**/*.heavy.test.ts"]
})
