/**
 * A light client of the beacon chain: from a checkpoint to an execution block that a sync committee signed.
 */
export * as Bls from "./bls/Bls.ts"
export type * as Bootstrap from "./container/Bootstrap.ts"
export * as Check from "./refusal/Check.ts"
export * as Clock from "./network/Clock.ts"
export * as Codec from "./container/Codec.ts"
export * as Fork from "./network/Fork.ts"
export * as Form from "./container/Form.ts"
export * as GeneralizedIndex from "./network/GeneralizedIndex.ts"
export * as Header from "./container/Header.ts"
export * as LightClientStore from "./verify/LightClientStore.ts"
export * as Network from "./network/Network.ts"
export * as Root from "./container/Root.ts"
export * as SigningDomain from "./network/SigningDomain.ts"
export * as SyncCommittee from "./container/SyncCommittee.ts"
export type * as Update from "./container/Update.ts"
