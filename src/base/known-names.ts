/** The members that a type names, without those that its index signature permits. */
export type KnownNames<Type> = Type extends unknown
  ? keyof { [Name in keyof Type as string extends Name ? never : number extends Name ? never : Name]: Type[Name] } &
      string
  : never;
