/** Made-up identities of the demo, and what each shows. */
export const DEMO_IDENTITIES: readonly [identity: string, shows: string][] = [
  ["ana.silva@mail.example", "two fresh leaks with the same password"],
  ["omar.haddad@mail.example", "nothing known"],
  ["yusuf.demir@mail.example", "a list that others passed on"],
  ["mei.tanaka@mail.example", "a stealer log on sale"],
  ["ivan.petrov@mail.example", "phished, then tested"],
  ["sofia.rossi@mail.example", "somebody signed in with the password"],
  ["noah.williams@mail.example", "robbed"],
  ["xk7qz9w2pf@throwaway.example", "a throwaway mailbox"],
  ["+61491570156", "SIM changed lately"],
  ["+61491570159", "the same SIM for over a year"],
  ["+61491570110", "ported lately, calls forwarded"],
]
