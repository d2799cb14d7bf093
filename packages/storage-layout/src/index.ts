/**
 * A contract's variables by name: compiler layouts, paths, slots and values.
 */
export * as Accessor from "./Accessor.ts"
export * as ContractStorage from "./ContractStorage.ts"
export * as Flawed from "./Flawed.ts"
export * as Layout from "./Layout.ts"
export * as LayoutError from "./LayoutError.ts"
export * as Location from "./Location.ts"
export * as NoBlock from "./NoBlock.ts"
export * as NoValue from "./NoValue.ts"
export * as Path from "./Path.ts"
export * as PathError from "./PathError.ts"
export * as Plan from "./Plan.ts"
export * as Slot from "./Slot.ts"
export * as StorageType from "./StorageType.ts"
export * as Value from "./Value.ts"
