/**
 * Beginnings and whole texts of passwords that head the published lists of leaked ones, folded to
 * lower case, without spaces and hyphens, with digits and signs at their ends taken off. Shorter
 * ones are refused anyhow when nothing else is in them.
 */
export const COMMON_PASSWORDS: ReadonlySet<string> = new Set(
  `
password passwort passw0rd p@ssword p@ssw0rd motdepasse contraseña contrasena senha parola wachtwoord
passwordpassword passwordisstrong mypassword thisispassword thisismypassword yourpassword newpassword
adminpassword administrator adminadmin admin root rootroot superuser letmein letmeinnow letmeinplease
welcome welcometo welcomeback welcomehome changeme changemenow changeit pleasechangeme default guest
iloveyou iloveyousomuch iloveyouforever ilovejesus jesuschrist jesuslovesme trustnoone
qwerty qwertyuiop qwertyqwerty qwertz qwertzuiop azerty azertyuiop asdfghjkl asdfasdfasdf zxcvbnm
qazwsx qazwsxedc qazwsxedcrfv qweasdzxc qweasd zaq12wsx 1qaz2wsx 1qaz2wsx3edc 1q2w3e4r 1q2w3e4r5t
1q2w3e4r5t6y q1w2e3r4 q1w2e3r4t5 q1w2e3r4t5y6 abcdef abcdefgh abcd1234abcd abc123abc123 a1b2c3d4e5f6
princess sunshine dragon monkey football baseball basketball superman batman spiderman starwars pokemon
liverpool manchester manchesterunited chelsea arsenal barcelona realmadrid juventus michael jennifer
jordan charlie daniel ashley jessica michelle nicole samantha elizabeth alexander christian
computer internet google facebook microsoft apple samsung android whatsapp instagram snapchat minecraft
correcthorsebatterystaple
summer winter autumn spring january february september october november december monday friday
company companyname secret topsecret mysecret secretsecret security secure confidential
hello helloworld testing testtest test testpassword testtesttest temporary temp tempo
assay assayassay assaypassword fraud fraudfraud riskscore
`
    .split(/\s+/)
    .filter((word) => word !== ""),
)
