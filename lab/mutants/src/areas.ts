/** The rules whose tests are judged: their files, and the tests that hold them. */

/** An area of rules. All paths are relative to the folder of the package. */
export interface Area {
  readonly package: string
  /** Patterns of the sources that are mutated. */
  readonly sources: ReadonlyArray<string>
  /** Patterns of the tests that hold the rules. */
  readonly tests: ReadonlyArray<string>
  /** Patterns of further tests that use the rules. They run for those mutants alone that `tests` do not notice. */
  readonly users: ReadonlyArray<string>
}

export const areas: Readonly<Record<string, Area>> = {
  limits: {
    package: "packages/gateway",
    sources: ["src/limits/*.ts", "src/pipeline/addressLimit.ts"],
    tests: ["test/limits/*.test.ts"],
    users: [
      "test/pipeline/{RequestAdmission,PlainRun,More,CallPackets}.test.ts",
      "test/accounts/{KeySettings,Model}.test.ts",
      "test/settings/GatewayOptions.test.ts"
    ]
  },
  settlement: {
    package: "packages/gateway",
    sources: [
      "src/pipeline/{settlement,plainRun,eventSettlement}.ts",
      "src/metering/{Costs,openBatch,usageBatch,usageRecorder}.ts"
    ],
    tests: [
      "test/pipeline/{EventSettlement,PlainRun,More}.test.ts",
      "test/metering/{Costs,Metering,AtOnce,UsageBatch}.test.ts"
    ],
    users: [
      "test/pipeline/{Settlement,Outcomes,GivenUp}.test.ts",
      "test/rpc/SocketSubscriptions.test.ts",
      "test/metering/MeteringStore.test.ts"
    ]
  },
  receipts: {
    package: "packages/eth-methods",
    sources: ["src/proof/{verifyReceipts,receiptFields,verifyLogs}.ts", "src/rlp/receiptEncoding.ts"],
    tests: ["test/proof/{receipts,logs,otherChains,clients,deposits}.test.ts", "test/rlp/BlockRlpReceipts.test.ts"],
    users: ["test/verified/{Tamper,Claims,LeftOut,otherNodes}.test.ts", "test/proof/fuzz.test.ts"]
  },
  storage: {
    package: "packages/storage-layout",
    sources: ["src/read/*.ts", "src/value/*.ts"],
    tests: ["test/read/*.test.ts", "test/value/*.test.ts", "test/layout/vyper.test.ts"],
    users: ["test/known/*.test.ts", "test/typed/*.test.ts", "test/location/*.test.ts"]
  }
}
