#!/usr/bin/env bash
# my-bot: lays as many cards as it can, wishes for the suit it has most of. One JSON message a line.
# No process is started for a decision: everything is done by the shell itself.
set -f

# The texts of a list or an object in $1, keys and values alike, into the array FOUND. $2 is what stands
# before the texts, such as '"legal":[', and $3 what ends them. No text of the arena has quotes in it.
texts() {
  FOUND=()
  [[ $1 == *"$2"* ]] || return
  local inside=${1#*"$2"}
  inside=${inside%%"$3"*}
  local IFS='"' parts i
  read -ra parts <<<"$inside"
  for ((i = 1; i < ${#parts[@]}; i += 2)); do FOUND+=("${parts[i]}"); done
}

# What the action $1 is worth, into WORTH; HAND has the hand.
value() {
  local cards=${1%%[~>@/!]*} card
  WORTH=-100 # draw, take, pass: only when nothing can be laid
  [[ $cards =~ ^([2-9TJQKAX][CSHDX])(\+[2-9TJQKAX][CSHDX])*$ ]] || return
  WORTH=$((20 * (${#cards} + 1) / 3))
  if [[ $1 == *">"* ]]; then
    local suit=${1#*>}
    ((WORTH -= 10))
    for card in "${HAND[@]}"; do [[ ${card:1:1} == "${suit:0:1}" ]] && ((WORTH++)); done
  fi
}

# The best action of the message $1 with the call it owes.
choose() {
  local best='' most=-1000 action i
  texts "$1" '"hand":[' ']'
  HAND=("${FOUND[@]}")
  texts "$1" '"legal":[' ']'
  for action in "${FOUND[@]}"; do
    value "$action"
    ((WORTH > most)) && most=$WORTH best=$action
  done
  texts "$1" '"call":{' '}'
  for ((i = 0; i < ${#FOUND[@]}; i += 2)); do
    [[ ${FOUND[i]} == "$best" ]] && best+=${FOUND[i + 1]} && break
  done
  printf '%s\n' "$best"
}

while IFS= read -r line; do
  case $line in
    '{"hello":'*) echo '{"ready":"my-bot"}' ;;
    *'"ask":'*) choose "$line" ;;
    *'"bye":'*) exit 0 ;;
  esac
done
