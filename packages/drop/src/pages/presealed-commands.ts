import type { Locale } from "./page-input.ts"

/**
 * Commands that make a message of the smallest size by hand, without files and without a code. Its
 * bytes look like those of any other: the tar holds no user, no group and no time, and its size is
 * a size class. The message's id in the manifest is random, so that readers notice a message that
 * comes twice.
 */
export function presealedCommands(locale: Locale): string {
  return `nid=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \\n')
printf '{"v":1,"nid":"%s","sealed_by":"sender",' "$nid" > manifest.json
printf '"mode":"one-way","lang":"${locale}","files":[]}' >> manifest.json
tar --format=ustar --mtime=@0 --owner=0 --group=0 --numeric-owner \\
  --mode=600 -cf message.tar manifest.json message.txt
truncate -s 64K message.tar
age -R keys.txt -o message.age message.tar`
}
