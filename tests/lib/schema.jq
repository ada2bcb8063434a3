# Checks a document against a JSON schema (the words that docs/schema/ uses). Prints one line a fault.
#
#   jq -r --slurpfile s docs/schema/report-1.json -f tests/lib/schema.jq FILE
#
# A word that is not known here is a fault of its own: a schema must not look checked where it is not.

def known_words: ["$schema", "$id", "$defs", "$ref", "title", "description", "type", "required",
    "properties", "additionalProperties", "items", "minItems", "minLength", "minimum", "pattern",
    "enum", "const", "if", "then", "else", "allOf"];

def type_name: type as $t | if $t == "number" and . == floor then "integer" else $t end;

def is_type($want): type_name as $t | $t == $want or ($want == "number" and $t == "integer");

# Emits texts; the document stands in `.`, $at is where it stands.
def faults($schema; $root; $at):
    . as $doc
    | ($schema | keys[] | select(. as $k | known_words | index($k) | not)
        | "\($at): schema word \(.) is not known to the checker"),
      (if $schema | has("$ref") then
         faults($root | getpath($schema["$ref"] | ltrimstr("#/") | split("/")); $root; $at)
       else empty end),
      (if ($schema | has("type")) and ([$schema.type] | flatten | any(. as $t | $doc | is_type($t)) | not)
       then "\($at): is \($doc | type_name), not \($schema.type | tostring)" else empty end),
      (if ($schema | has("enum")) and ($schema.enum | index([$doc]) | not)
       then "\($at): \($doc | tojson) is not one of \($schema.enum | tojson)" else empty end),
      (if ($schema | has("const")) and $schema.const != $doc
       then "\($at): \($doc | tojson) is not \($schema.const | tojson)" else empty end),
      (if ($schema | has("pattern")) and ($doc | type) == "string" and ($doc | test($schema.pattern) | not)
       then "\($at): \($doc | tojson) does not match \($schema.pattern)" else empty end),
      (if ($schema | has("minLength")) and ($doc | type) == "string" and ($doc | length) < $schema.minLength
       then "\($at): is too short" else empty end),
      (if ($schema | has("minimum")) and ($doc | type) == "number" and $doc < $schema.minimum
       then "\($at): \($doc) is below \($schema.minimum)" else empty end),
      (if ($doc | type) == "array" then
         (if ($schema | has("minItems")) and ($doc | length) < $schema.minItems
          then "\($at): has \($doc | length) items, at least \($schema.minItems)" else empty end),
         (if $schema | has("items") then
            range($doc | length) as $i | $doc[$i] | faults($schema.items; $root; "\($at)[\($i)]")
          else empty end)
       else empty end),
      (if ($doc | type) == "object" then
         (($schema.required // [])[] | select(. as $k | $doc | has($k) | not) | "\($at): lacks \(.)"),
         (($schema.properties // {}) | keys[] | . as $k | select($doc | has($k))
            | . as $k | $doc[$k] | faults($schema.properties[$k]; $root; "\($at).\($k)")),
         (if $schema | has("additionalProperties") then
            $doc | keys[] | . as $k | select(($schema.properties // {}) | has($k) | not)
              | . as $k | $doc[$k] | faults($schema.additionalProperties; $root; "\($at).\($k)")
          else empty end)
       else empty end),
      (($schema.allOf // [])[] as $part | $doc | faults($part; $root; $at)),
      (if $schema | has("if") then
         (if [$doc | faults($schema.if; $root; $at)] | length == 0 then $schema.then else $schema.else end) as $part
         | if $part == null then empty else $doc | faults($part; $root; $at) end
       else empty end);

faults($s[0]; $s[0]; "document")
