// Kinds of objects that get a number for clients whose IDs are integers.

/** Kind of an object with a number; numbers of different kinds are independent. */
export type NumberedNoun = 'domain' | 'group' | 'removal' | 'template' | 'webhook'
